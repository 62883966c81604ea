ulpgate merge --help
