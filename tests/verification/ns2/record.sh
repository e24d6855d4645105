#!/bin/sh
# Records the reference results of ns-2: `sh record.sh [lossy_path|dumbbell|fat_tree]`.
# About one, four and seven minutes; one process at a time.
set -e
here=$(cd "$(dirname "$0")" && pwd)
reference=$here/../reference
mkdir -p "$reference"

# record SCRIPT: reads argument lists, one a line, and appends their rows.
record() {
    out=$reference/ns2_$1.csv
    {
        echo "# ns-2 2.35 (Debian ns2 2.35+dfsg-5): sh tests/verification/ns2/record.sh $1"
        ns "$here/$1.tcl" header
        while read -r arguments; do
            # shellcheck disable=SC2086
            ns "$here/$1.tcl" $arguments | grep "^${arguments%% *},"
        done
    } >"$out.part"
    mv "$out.part" "$out"
}

lossy_path() {
    for flavour in tahoe reno newreno sack cubic; do
        for p in 0.001 0.005 0.01 0.02; do
            for min_rto in 0.2 1.0; do
                for seed in 1 2 3 4; do
                    echo "$flavour $p $min_rto $seed 2000"
                done
            done
        done
    done | record lossy_path
}

dumbbell() {
    for flavour in sack newreno reno tahoe cubic; do
        for seed in 1 2 3 4 5 6 7 8 9 10; do
            if [ $flavour != cubic ] || [ $seed -le 5 ]; then
                echo "$flavour $seed 20"
            fi
        done
    done | record dumbbell
}

fat_tree() {
    for flavour in sack newreno; do
        for seed in $(seq 30); do
            echo "$flavour $seed 0.2"
        done
    done | record fat_tree
}

for part in ${1:-lossy_path dumbbell fat_tree}; do
    $part
done
