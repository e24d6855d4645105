"""The attack: made-up and mutated inputs, and what must hold whatever they are.

``python -m fuzz --help`` lists what it does; `CONTRIBUTING.md` says how a failure is replayed and
how a property is added. A case is made of a seed, the name of a part and a number, and of nothing
else, so that it is the same on every machine. Cases are judged in a child process that is watched:
one that crashes or hangs is a failure like any other.
"""
