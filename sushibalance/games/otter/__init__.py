"""Sushi Otter."""
