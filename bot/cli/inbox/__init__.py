"""`askback inbox`: what waits, and what failed, for administrators."""
