"""The three games, one folder each, all alike."""
