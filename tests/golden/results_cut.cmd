sed '$d' advise.jsonl >cut.jsonl; ulpgate advise --cond 4 --kappa 5..1500 cut.jsonl
ulpgate advise --cond 0.1 --format md cut.jsonl | head -3; ulpgate advise --cond 4 --format json cut.jsonl | grep -o '"not_known":.*complete[^"]*"'
sed '$d' run.jsonl >cut.jsonl; ulpgate report --format table cut.jsonl | head -3; ulpgate diff cut.jsonl run.jsonl
