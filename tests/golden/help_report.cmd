ulpgate report --help
