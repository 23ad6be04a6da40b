"""Files as streams: CSV, TSV, JSON lines, Parquet, Arrow and LIBSVM, plain or packed with gzip or zstd.

Memory does not grow with the file, columns may differ from file to file, and dirt is skipped, counted and told.
Needs the extra `files`.
"""

from fesl.files.block import Block
from fesl.files.notes import Notes
from fesl.files.settings import Settings
from fesl.files.stream import Stream

__all__ = ["Block", "Notes", "Settings", "Stream"]
