"""Where documents come from, one module a kind; each is a `connector.Connector`."""
