ulpgate report run.jsonl --format table
