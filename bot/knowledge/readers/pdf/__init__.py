"""PDF: turns positioned characters into lines, tables, paragraphs and headings."""
