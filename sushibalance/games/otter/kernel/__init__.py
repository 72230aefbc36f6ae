"""Sushi Otter compiled: state, learning power-ups, worth of cards, changes, search, one game."""
