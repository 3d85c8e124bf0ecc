"""Places: directories from CSV files, and where a city or postcode lies, without a network."""
