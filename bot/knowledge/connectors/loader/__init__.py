"""Document loaders of LangChain, which only the operator's settings name, in a limited child process."""
