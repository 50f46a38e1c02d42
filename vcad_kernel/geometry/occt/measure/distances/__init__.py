"""How far points, faces and bodies are apart."""
