"""Language models behind the model ports: any provider, two models by name, and an adapter for each port."""
