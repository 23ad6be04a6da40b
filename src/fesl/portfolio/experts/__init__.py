"""The experts of the mixture, one a file."""
