#!/bin/sh
# Divides an import among the nodes of a Slurm cluster, and merges the results: submits both jobs.
#
#   submit.sh <shards> <input> <base-url> [options of eventload import]
#
# All nodes need this folder and eventload. Give the token with --token-file or in eventload.yaml: Slurm
# keeps the environment with the job. If shards fail, submit again: complete ones stay as they are, and
# the others are resumed.
set -eu

here=$(dirname "$0")
shards=$1
input=$2
base_url=$3
shift 3

# The logs are there from the start.
mkdir -p out
# For all tasks, also those that somebody repeats by hand.
export SHARDS="$shards"
import=$(sbatch --parsable --array="1-$shards" "$here/import.sbatch" \
  "$input" --base-url "$base_url" "$@")
# With --parsable, the name of the cluster may follow.
import=${import%%;*}
merge=$(sbatch --parsable --dependency="afterok:$import" --kill-on-invalid-dep=yes \
  "$here/merge.sbatch" "$shards" "$input")
echo "Job $import imports, job ${merge%%;*} merges then. To look: eventload status out"
