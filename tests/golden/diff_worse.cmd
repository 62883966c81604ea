sed 's/"verdict":"PASS","gate":"sound"/"verdict":"CRASH","gate":"sound"/;/welford/d' run.jsonl >other.jsonl; ulpgate diff run.jsonl other.jsonl
