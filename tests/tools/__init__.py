"""Tests of tools/, benchmarks/ and the set-up: what is around the course."""
