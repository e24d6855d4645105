"""``python -m tcphoton`` is the command ``tcphoton``."""

from tcphoton.cli import main

if __name__ == "__main__":
    main()
