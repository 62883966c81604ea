ulpgate --help
