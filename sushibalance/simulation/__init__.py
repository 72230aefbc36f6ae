"""Many games at once: simulate, runs, traces."""
