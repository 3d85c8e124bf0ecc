"""What a person writes: admitted, ordered, merged into bursts, and tried again."""
