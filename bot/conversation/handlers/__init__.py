"""What items want: each handler works off items of its kinds, and commits what comes of them."""
