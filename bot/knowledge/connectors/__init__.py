"""The kinds of sources: one module with a `connector.Connector` for each."""
