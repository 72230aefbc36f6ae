"""How fast the compiled engines are: against a C twin of each, and against the naive engines of the tests."""
