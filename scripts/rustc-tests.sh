#!/usr/bin/env bash
# Between cargo and the compiler (RUSTC_WRAPPER) where tests are built: RUSTC ARGS. A crate's own tests are compiled
# with its assertions and less optimisation: at that of a release they take twice as long to compile and none less to
# run. Libraries stay as they are shipped. A wrapper of yours comes first.
for each; do
	if [ "$each" = --test ]; then
		set -- "${@/#opt-level=3/opt-level=1}"
		set -- "${@/#codegen-units=1/codegen-units=16}" -C debug-assertions=on
		break
	fi
done
exec ${TCPHOTON_RUSTC_WRAPPER:-} "$@"
