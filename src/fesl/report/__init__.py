"""One HTML file that tells what happened on a stream; it needs nothing else, not even a network."""

from fesl.report.page import write

__all__ = ["write"]
