"""The offline models: rules understand, the documents' own sentences answer, overlap judges."""
