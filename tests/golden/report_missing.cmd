ulpgate report nowhere.jsonl
