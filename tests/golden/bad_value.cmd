ulpgate run --case 'layernorm dtype=f33'
