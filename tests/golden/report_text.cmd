ulpgate report run.jsonl
