"""The web: the engine for browsers, and the modules of JavaScript with which pages use it."""
