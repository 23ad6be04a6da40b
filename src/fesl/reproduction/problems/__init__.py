"""Data sets made ready for the protocols. One that needs no more than its entry in `fesl.datasets` has no file
here."""
