ulpgate advise --cond x advise.jsonl; ulpgate advise --kappa 5..2 advise.jsonl; ulpgate advise --tensor a advise.jsonl; ulpgate advise --n 3..9 --dtype bf16 advise.jsonl
