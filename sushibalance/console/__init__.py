"""The command line's words: what its options ask for, and what it prints."""
