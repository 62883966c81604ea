ulpgate explain 'layernorm n=4 rows=2 data=constant(c=2) beta=constant(c=3)' --row 1
