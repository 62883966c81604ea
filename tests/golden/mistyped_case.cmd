ulpgate run --case 'layernorm dtype=f32 rowz=4 n=8'
