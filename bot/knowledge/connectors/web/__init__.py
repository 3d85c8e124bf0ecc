"""Web pages: one page, a sitemap's pages, or all pages below an address; politely, from public addresses only."""
