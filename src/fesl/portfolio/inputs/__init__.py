"""What the experts see: running standardisation, and what is absent."""
