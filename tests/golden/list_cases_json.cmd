ulpgate list cases --format json --case 'layernorm rows=2 n=16'
