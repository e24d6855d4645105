#!/bin/sh
# Records the reference results of ns-2: `sh record.sh [lossy_path|dumbbell|fat_tree|steady]`.
# About one, four, seven and ten minutes; one process at a time.
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

# Buffers of a quarter of what the path holds, all of it and four times as much, at least five packets. At 100 Mb/s
# and 100 ms a sawtooth takes three minutes: nothing is steady in two.
steady() {
    for flavour in newreno sack reno tahoe; do
        for flows in 1 2 8; do
            for path in "5 2.5 5" "5 2.5 8" "5 20 5" "5 20 17" "5 20 67" "5 100 21" "5 100 83" "5 100 333" \
                "20 2.5 5" "20 2.5 8" "20 2.5 33" "20 20 17" "20 20 67" "20 20 267" "20 100 83" "20 100 333" \
                "20 100 1333" "100 2.5 10" "100 2.5 42" "100 2.5 167" "100 20 83" "100 20 333" "100 20 1333"; do
                for delayed in 0 1; do
                    echo "$flavour $flows $path $delayed"
                done
            done
        done
    done | record steady
}

for part in ${1:-lossy_path dumbbell fat_tree steady}; do
    $part
done
