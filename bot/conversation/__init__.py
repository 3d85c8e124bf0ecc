"""The core: what people do is stored, claimed, answered, and ended in one transaction."""
