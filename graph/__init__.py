"""How Askback thinks: state, nodes, routing, one builder, and the vocabulary at its border."""
