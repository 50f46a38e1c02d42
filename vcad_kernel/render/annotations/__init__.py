"""What is written over a picture: names, dimensions, marks, and the room for them."""
