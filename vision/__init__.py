"""From a frame to what stands on each square, and to the move that explains it best."""
