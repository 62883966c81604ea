ulpgate shrink 'layernorm n=3'; ulpgate shrink 'layernorm m=3' --kernel host:fused/welford; ulpgate shrink 'layernorm n=3' --kernel x --gate nonsense
