"""TCP over an optical burst-switched WDM network (Gowda et al., ICC 2003)."""
