ulpgate diff run.jsonl run.jsonl
