"""`python -m fesl.cli` is `fesl`."""

from fesl.cli import app

if __name__ == "__main__":
    app(prog_name="fesl")
