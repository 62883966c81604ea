ulpgate list cases --case 'layernorm  rows=1 n=4 eps=1e-5 data=ramp(start=1)' --case 'layernorm n=16 rows=2'
