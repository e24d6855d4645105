"""The command ``tcphoton``, a module for each group of verbs."""
