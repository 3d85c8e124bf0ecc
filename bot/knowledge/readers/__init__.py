"""The readers: each turns the bytes of one format into blocks and fields, without any other I/O."""
