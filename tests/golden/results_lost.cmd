sed 3d advise.jsonl >lost.jsonl; ulpgate advise --cond 4 --kappa 5..1500 lost.jsonl | head -3
sed 3d run.jsonl >lost.jsonl; ulpgate report --format table lost.jsonl | head -3; ulpgate diff --common run.jsonl lost.jsonl
