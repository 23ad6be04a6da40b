"""The learner of wide and sparse input: diagonal covariances, and a round costs what the event holds."""
