"""The page: a Flask application that shows a game as it is played."""
