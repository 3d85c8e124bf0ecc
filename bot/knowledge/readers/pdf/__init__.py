"""PDF: characters with places become lines, tables, paragraphs and headings."""
