#!/bin/sh
# Divides an import among processes on this machine with GNU parallel, and merges their results.
#
#   gnu-parallel.sh <shards> <input> <base-url> [options of eventload import]
#
# Start it again after a crash: shards that are complete stay as they are, and the others are resumed.
set -eu

shards=$1
input=$2
base_url=$3
shift 3

name=$(basename "$input")
name=${name%.*}
export INPUT="$input" NAME="$name" SHARDS="$shards" EVENTLOAD_BASE_URL="$base_url"
# Options of import for all shards; parallel starts each through a shell.
export OPTIONS="$*"

# 0 and 1 mean that a shard is complete. Anything else is tried again, and resumes where it was.
seq "$shards" | parallel --jobs "$shards" --retries 3 '
  results=out/$NAME.{}-of-$SHARDS.results.csv
  # A manifest without a journal is that of a complete shard.
  [ -e "${results%.results.csv}.run.json" ] && ! [ -e "$results.journal" ] && exit 0
  eventload import "$INPUT" --shard {}/$SHARDS --results "$results" --resume --quiet $OPTIONS ||
    [ $? -eq 1 ]
'

eventload merge "out/$name.*-of-$shards.results.csv" --results "out/$name.results.csv"
