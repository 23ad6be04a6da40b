"""The paper's five methods, one short file each: a `METHOD`."""
