ulpgate advise --help
