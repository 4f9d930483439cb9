"""Makes the pages that the site is built from: `python -m docs.generator` writes them into `build/docs`.

Zensical, which turns them into HTML, runs no code of ours. So everything that is generated is written before: the
tables of the reference, the command line, the Python interface, notebooks, and the pages of the repository's root.
"""
