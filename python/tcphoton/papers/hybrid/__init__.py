"""Minakhmetov, Ware and Iannone, stop-and-wait TCP on hybrid switches, ALGOTEL 2018."""
