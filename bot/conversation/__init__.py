"""The core: stores what people do, claims it, answers it, and commits each outcome in one transaction."""
