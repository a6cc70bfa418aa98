#!/bin/sh
# Divides an import among processes on this machine with GNU parallel, and merges their results.
#
#   gnu-parallel.sh <shards> <input> <base-url> [options of eventload import]
#
# Start it again after a crash: shards that are complete send nothing, and the others are resumed.
set -eu

export EVENTLOAD_SHARDS="$1" INPUT="$2" EVENTLOAD_BASE_URL="$3"
shift 3
name=$(basename "$INPUT")
name=${name%.*}

# `--shard env` takes the number of the shard from PARALLEL_SEQ, which a task keeps when it is retried.
# 0 and 1 mean that a shard is complete. Anything else is retried, and resumes where it was.
seq "$EVENTLOAD_SHARDS" | parallel -N0 --jobs "$EVENTLOAD_SHARDS" --retries 3 --quote sh -c '
  eventload import "$INPUT" --shard env --results "out/{input}.{shard}.results.csv" --resume --quiet "$@" ||
    [ $? -eq 1 ]
' shard "$@"

eventload merge "out/$name.*-of-$EVENTLOAD_SHARDS.results.csv" --results "out/$name.results.csv"
