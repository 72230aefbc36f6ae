"""Compiled Nightmares of Sushi: state, scoring, endings, one whole game."""
