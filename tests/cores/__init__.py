"""For each chapter: the run of an estimator that calls a core function."""
