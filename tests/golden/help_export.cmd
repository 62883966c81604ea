ulpgate export --help
