"""The classroom: what only the notebooks need; the algorithms know nothing of it.

course      the table of contents: chapters, what each needs, the glossary
verify      a derived formula is checked by machine
exercises   an answer is checked, and told its mistake
viz         pictures, sliders, players, points to take hold of, the code on the page
memory      what a learner has solved, guessed and set, in one file of their own (files: how it is written)
calm        one line in place of an error where a cell needs what stands above it
news        which chapters have a newer version than the learner's copy
server      what JupyterLab's server does when it saves a notebook

Notebooks import the first five by their short names, such as ``mlcore.viz``.
"""
