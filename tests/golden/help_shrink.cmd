ulpgate shrink --help
