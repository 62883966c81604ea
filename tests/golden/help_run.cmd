ulpgate run --help
