"""The book: the algorithms of the course, one file a chapter, in the chapter's order.

Each function is a formula: checked arrays in, arrays out. The files import NumPy and each other, and nothing else, so
this folder can be read, printed, or taken away without the rest. ``arithmetic`` holds what other languages have built
in: linear systems, and the special functions behind the tails of distributions.
"""
