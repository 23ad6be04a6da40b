"""One file a contestant. What is here runs inside the contestant's own environment, so it imports NumPy, the
contestant, and nothing of ours (but for `ours`)."""
