"""Values that describe a board in a picture and the look of a set of pieces."""
