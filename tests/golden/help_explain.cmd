ulpgate explain --help
