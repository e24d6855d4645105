"""Izquierdo-Zaragoza and Pavón-Mariño, lightpath bundling and anycast switching, ONDM 2013."""
