ulpgate diff --help
