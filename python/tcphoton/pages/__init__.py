"""Pages: the parts of a self-contained HTML file, independent of its content."""
