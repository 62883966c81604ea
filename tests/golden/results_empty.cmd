echo >empty.jsonl; ulpgate report empty.jsonl; ulpgate advise empty.jsonl; ulpgate diff --common run.jsonl empty.jsonl
