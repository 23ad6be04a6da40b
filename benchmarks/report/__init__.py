"""The page of the documentation and its figures, made of what the benchmarks left as JSON."""
