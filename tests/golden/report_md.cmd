ulpgate report run.jsonl --format md
