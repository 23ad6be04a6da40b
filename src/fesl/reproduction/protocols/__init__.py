"""How a data set becomes a stream, one short file each: a `PROTOCOL`."""
