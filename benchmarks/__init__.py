"""Side by side with everything a user would pick instead: speed, growth, quality, and a guard against regressions.

    python -m benchmarks               what is installed, in under two minutes
    python -m benchmarks --full        everything; then `python -m benchmarks page`
    python -m benchmarks --help        the parts one by one

Every contestant, ourselves included, runs in a process of its own (`benchmarks.peers`), in its own environment.
"""
