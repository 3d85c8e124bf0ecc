"""What runs did: recorded while they go on, kept for a while, forgotten with the questions."""
