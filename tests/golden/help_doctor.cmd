ulpgate doctor --help
