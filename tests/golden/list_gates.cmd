ulpgate list gates
