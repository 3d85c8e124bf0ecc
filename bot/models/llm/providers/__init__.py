"""Where language models are asked: one small module for each provider; its library is imported if it is configured."""
