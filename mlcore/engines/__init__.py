"""Fast code under more than one chapter: it gives what a chapter's core gives, on data for which the core is too slow.

An estimator runs its core on small problems and an engine on large ones; its notebook says from where on. A test
compares the two on random problems, so that neither can drift.
"""
