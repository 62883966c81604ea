ulpgate mutants --help
