"""How fast the compiled engines are, against C twins and naive engines, and how long answers take."""
