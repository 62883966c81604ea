ulpgate advise --cond 0.1 --format md advise.jsonl
