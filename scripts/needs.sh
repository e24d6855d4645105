#!/usr/bin/env bash
# needs.sh VERB: prints the Python to use. Where something that VERB needs is missing, says what and how to get it,
# and exits with 1 before anything is built.
set -euo pipefail
verb=$1
rust_needed=1.92
problems=0
complain() { echo "make $verb: tcphoton needs $1" >&2; problems=1; }

rust=$(rustc --version 2>/dev/null | cut -d' ' -f2 || true)
oldest=$(printf '%s\n' "$rust_needed" "${rust:-0}" | sort -V | head -n 1)
if ! cargo --version >/dev/null 2>&1 || [ "$oldest" != "$rust_needed" ]; then
	complain "Rust $rust_needed or later (found: ${rust:-none}): see https://rustup.rs"
elif [[ $verb =~ ^(test|check|lint)$ ]]; then
	for each in rustfmt clippy; do
		"cargo-${each/rustfmt/fmt}" --version >/dev/null 2>&1 ||
			complain "$each: 'rustup component add $each', or the Debian package ${each/clippy/rust-clippy}"
	done
fi
if ! cc --version >/dev/null 2>&1; then
	complain "a C toolchain for linking (cc): Debian 'apt install gcc libc6-dev', macOS 'xcode-select --install'"
fi
python=
for each in python3.13 python3.12 python3.11 python3.14 python3 python; do
	if "$each" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
		python=$each
		break
	fi
done
if [ -z "$python" ]; then
	complain "Python 3.11 or later with venv: Debian 'apt install python3 python3-venv', or https://python.org"
fi
# Measured after `make test` and after `make demo`; what is there already need not be free.
case $verb in
test | check | verify) gigabytes=5 ;;
*) gigabytes=3 ;;
esac
there=$({ du -sk target .venv 2>/dev/null || true; } | awk '{ sum += $1 } END { print sum + 0 }')
free=$(df -Pk . | awk 'NR == 2 { print $4 }')
if [ $((free + there)) -lt $((gigabytes * 1000000)) ]; then
	complain "$gigabytes GB of disk in $PWD (free: $((free / 1000)) MB); 'make clean' removes what was built here"
fi
[ "$problems" -eq 0 ] || exit 1
echo "$python"
