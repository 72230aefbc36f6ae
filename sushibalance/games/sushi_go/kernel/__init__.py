"""The compiled part of Sushi Go!: numba, numpy and `sushibalance.core`, nothing else."""
