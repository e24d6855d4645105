"""A scenario that runs in a moment, of which tests and the attack make what they need."""

SMALL = """
title = "Two hosts"
[run]
duration = "2 s"
warmup = "500 ms"
[topology]
kind = "dumbbell"
pairs = 2
access = { rate = "100 Mb/s", delay = "1 ms" }
[topology.bottleneck]
rate = "10 Mb/s"
delay = "5 ms"
queue = { kind = "drop-tail", packets = 20 }
loss = { kind = "bernoulli", p = 0.01 }
[[traffic]]
from = "left-*"
to = "right-*"
start = { kind = "uniform", from = "0 s", to = "100 ms" }
transport = { kind = "tcp", preset = "sack", segment = "1460 B" }
source = { kind = "bulk" }
"""
