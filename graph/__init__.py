"""The LangGraph graph that answers a question: nodes, routing, state, and the events that a run yields."""
