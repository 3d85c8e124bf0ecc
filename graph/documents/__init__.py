"""What passages tell about documents: their versions, their copies, and until when they hold (pure)."""
