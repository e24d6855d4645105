#!/bin/sh
# Builds the programs against htsim (https://github.com/Broadcom/csg-htsim): build.sh HTSIM OUT,
# where HTSIM is a folder with its sources, in which its library is built.
set -eu
here=$(dirname "$0")
sim=$1/sim
mkdir -p "$2"
make -C "$sim" libhtsim.a >/dev/null
for program in dumbbell fat_tree; do
    c++ -std=c++17 -O3 -w -I "$sim" -I "$sim/datacenter" "$here/$program.cc" \
        "$sim/datacenter/fat_tree_topology.cpp" "$sim/datacenter/fat_tree_switch.cpp" \
        "$sim/datacenter/firstfit.cpp" "$sim/datacenter/connection_matrix.cpp" \
        "$sim/libhtsim.a" -o "$2/$program"
done
