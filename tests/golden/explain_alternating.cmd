ulpgate explain 'layernorm n=4 data=alternating(a=3,b=-1)' --elements 0..1
