"""The page: from a table to a release in the browser, on this machine alone. Needs the extra `web`.

One file a step (data, roles, hierarchies, privacy, method, run, result, release), and one for each larger part of a
step (earlier, whatif, codip, compared). A step shows what the desk knows and tells it what was chosen; it computes
nothing. guard.py lets nobody else in, page.py is the frame that all steps share, parts.py the few controls they are
made of, theme.py the look.
"""
