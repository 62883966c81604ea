ulpgate
