"""Ground floor of the engines: jit settings, random streams, the event log."""
