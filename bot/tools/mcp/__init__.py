"""Tools of MCP servers: an operator's file names the servers and allows each tool by name."""
