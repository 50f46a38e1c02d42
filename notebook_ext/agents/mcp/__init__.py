"""The MCP server of a session. Importing it brings the SDK."""
