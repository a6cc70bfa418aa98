#!/bin/sh
# Divides an import among processes on this machine with GNU parallel, and merges their results.
#
#   gnu-parallel.sh <shards> <input> <base-url> [options of eventload import]
#
# Start it again after a crash: shards that are complete send nothing, and the others are resumed.
set -eu

export SHARDS="$1" INPUT="$2" EVENTLOAD_BASE_URL="$3"
shift 3
name=$(basename "$INPUT")
name=${name%.*}

# PARALLEL_SEQ is the number of the task, which it keeps when it is retried.
# 0 and 1 mean that a shard is complete. Anything else is retried, and resumes where it was.
seq "$SHARDS" | parallel -N0 --jobs "$SHARDS" --retries 3 --quote sh -c '
  eventload import "$INPUT" --shard "$PARALLEL_SEQ/$SHARDS" --results "out/{input}.{shard}.results.csv" \
    --resume --quiet "$@" || [ $? -eq 1 ]
' shard "$@"

eventload merge "out/$name.*-of-$SHARDS.results.csv" --results "out/$name.results.csv"
