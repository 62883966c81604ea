ulpgate check --help
