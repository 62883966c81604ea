ulpgate bench --help
