"""The steps before and after a method: a request becomes a problem, a solution becomes what a release holds."""
