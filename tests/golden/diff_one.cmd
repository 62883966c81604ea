ulpgate diff run.jsonl
