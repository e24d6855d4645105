"""The command ``tcphoton``, which is ``python -m tcphoton`` too: its libraries take a moment."""

import sys

__all__ = ["main"]

INTERRUPTED = 130


def main() -> None:
    """Run the command; Ctrl-C while its libraries are loaded ends it as at any other time."""
    try:
        from tcphoton.cli.app import main as command

        command()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
