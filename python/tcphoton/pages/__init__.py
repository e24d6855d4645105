"""Pages: what a self-contained file in HTML is made of, whatever it shows."""
