#!/bin/sh
# Records what ns-3 makes of BBR: `sh record.sh DIRECTORY` with the built programs prints the CSV of
# ../reference/ns3_bbr.csv.
set -e
[ $# -eq 1 ] || { echo "usage: sh record.sh DIRECTORY" >&2; exit 2; }
version=$(pkg-config --modversion ns3-core)
echo "# ns-3 $version (Debian libns3-dev): sh tests/verification/ns3/record.sh DIRECTORY"
"$1/bbr" --buffer=668 | head -1
for flavours in TcpBbr TcpBbr,TcpBbr; do
    for seed in 1 2 3 4 5 6 7 8 9 10; do
        "$1/bbr" --flavours=$flavours --buffer=668 --seed=$seed | tail -1
    done
done
