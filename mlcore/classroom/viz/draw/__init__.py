"""What draws: arrays, and anything with ``predict``, on matplotlib's axes. No widgets."""
