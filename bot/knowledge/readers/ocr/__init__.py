"""Text recognition (OCR): lines of text from the picture of a page, in reading order."""
