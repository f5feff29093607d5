"""What a benchmark is, and how it is run; see section 5 of CONTRIBUTING.md."""


def machine():
    return "machine"
