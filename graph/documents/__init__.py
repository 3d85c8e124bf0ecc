"""What passages tell about documents: versions, copies, until when they hold, and what is asked of them (pure)."""
