"""González de Dios et al., synchronization of TCP flows in OBS networks, 2009."""
