#!/usr/bin/env bash
# Builds the engine for browsers: OUT. Where the compiler has no standard library for them, it says what to
# install and exits with 3.
set -euo pipefail
out=$1
target=wasm32-unknown-unknown
rust=$(rustc --print sysroot)/lib/rustlib
options=(--package web --profile web --target "$target" --locked --quiet)
if [ -d "$rust/$target/lib" ]; then
	cargo build "${options[@]}"
elif [ -f "$rust/src/rust/library/Cargo.lock" ] && command -v rust-lld >/dev/null; then
	# Debian's compiler is stable, and builds the library itself from its source.
	export RUSTC_BOOTSTRAP=1
	cargo build "${options[@]}" -Z build-std=std,panic_abort
else
	echo "note: no engine for browsers: this Rust has no standard library for $target:" \
		"'rustup target add $target', or Debian 'apt install rustc-web cargo-web rust-web-src rust-web-llvm lld-22'" >&2
	exit 3
fi
mkdir -p "$(dirname "$out")"
cp "${CARGO_TARGET_DIR:-target}/$target/web/web.wasm" "$out"
chmod 644 "$out"
