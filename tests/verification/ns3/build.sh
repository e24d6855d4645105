#!/bin/sh
# Builds the ns-3 programs into a directory: `sh build.sh DIRECTORY`.
# Needs a C++17 compiler, pkg-config and the ns-3 library (Debian: libns3-dev).
set -e
[ $# -eq 1 ] || { echo "usage: sh build.sh DIRECTORY" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
modules="ns3-core ns3-network ns3-internet ns3-point-to-point ns3-applications ns3-traffic-control"
# Debian's files also name development libraries by their paths (GSL, SQLite)
# that the package does not bring and these programs do not use.
# shellcheck disable=SC2086
flags=$(pkg-config --cflags --libs $modules | tr ' ' '\n' | grep -v '^/.*\.so$' | grep -v '^-I/usr[;\\]')
for program in bbr dumbbell fat_tree; do
    # shellcheck disable=SC2086
    ${CXX:-c++} -std=c++17 -O2 -o "$1/$program" "$here/$program.cc" $flags
done
