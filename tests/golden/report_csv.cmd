ulpgate report run.jsonl --format csv
