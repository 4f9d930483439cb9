"""The independent checker: the audit, what prices prove, the published cost, centroids and two tables, all from
published cells. It imports nothing of what makes releases.
"""
