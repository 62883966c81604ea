ulpgate rnu
