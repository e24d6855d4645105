"""The command ``tcphoton``, also ``python -m tcphoton``; loading its libraries takes a moment."""

import sys

INTERRUPTED = 130


def main() -> None:
    """Run the command; Ctrl-C during the imports ends it as at any other time."""
    try:
        from tcphoton.cli.app import main as command

        command()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
