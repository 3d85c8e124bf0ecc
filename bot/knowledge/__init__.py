"""Documents: from files to passages to search results."""
