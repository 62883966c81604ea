ulpgate new --help
