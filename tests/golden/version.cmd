ulpgate --version
