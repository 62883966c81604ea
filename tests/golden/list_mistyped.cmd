ulpgate list kernel
