"""What a session and its viewers say to each other, over a page's WebSocket or a widget's comm."""
