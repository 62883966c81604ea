ulpgate list --help
