"""What all rooms use: files and what is read from them, quantities, TOML, the terminal."""
