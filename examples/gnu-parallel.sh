#!/bin/sh
# Divides an import among processes on this machine with GNU parallel, and merges their results.
#
#   gnu-parallel.sh <shards> <input> <base-url> [options of eventload import]
#
# Start it again after a crash: shards that are complete stay as they are, and the others are resumed.
set -eu

export EVENTLOAD_SHARDS="$1" INPUT="$2" EVENTLOAD_BASE_URL="$3"
shift 3
name=$(basename "$INPUT")
export NAME="${name%.*}"

# `--shard env` takes the number of the shard from PARALLEL_SEQ, which a task keeps when it is retried.
# 0 and 1 mean that a shard is complete. Anything else is retried, and resumes where it was.
seq "$EVENTLOAD_SHARDS" | parallel -N0 --jobs "$EVENTLOAD_SHARDS" --retries 3 --quote sh -c '
  results=out/$NAME.$PARALLEL_SEQ-of-$EVENTLOAD_SHARDS.results.csv
  # A manifest without a journal is that of a complete shard.
  [ -e "${results%.results.csv}.run.json" ] && ! [ -e "$results.journal" ] && exit 0
  eventload import "$INPUT" --shard env --results "$results" --resume --quiet "$@" || [ $? -eq 1 ]
' shard "$@"

eventload merge "out/$NAME.*-of-$EVENTLOAD_SHARDS.results.csv" --results "out/$NAME.results.csv"
