"""He and Chan, TCP and UDP over an optical packet-switched network, ICC 2003."""
