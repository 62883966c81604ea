ulpgate advise --cond 4 --kappa 5..1500 advise.jsonl
