"""The command ``tcphoton``, one module per group of verbs."""
