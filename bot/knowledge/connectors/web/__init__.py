"""Pages of the web: one, those of a sitemap, or those below an address; politely, and from public addresses only."""
