"""Forgets a person, a document, a channel or a workspace on request, in all that the database holds."""
