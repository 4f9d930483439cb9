"""Utility: what a release is still good for, next to the original.

    release, original --reading--> each cell spread over the values it covers
                                   --> every cost, and the loss of each column    (losses)
                                   --> distributions, means, quantiles            (marginals, numbers)
                                   --> how pairs of columns go together           (associations, contingency)
                                   --> the error of counting queries              (queries)
                                   --> whether the two can be told apart          (propensity)
                                   --> what can still be learnt                   (classifier, naive_bayes, guesses)

One measure a file. They are for the owner of the original: what they say of it is not in the certificate.
"""

from shoal.utility.associations import Association
from shoal.utility.classifier import Classifier
from shoal.utility.contingency import Contingency
from shoal.utility.guesses import Quality
from shoal.utility.losses import ColumnLoss, Loss
from shoal.utility.marginals import Marginal
from shoal.utility.numbers import Numbers, Summary
from shoal.utility.propensity import Propensity
from shoal.utility.queries import QueryError, query_error
from shoal.utility.report import Utility, measure

__all__ = [
    "Association",
    "Classifier",
    "ColumnLoss",
    "Contingency",
    "Loss",
    "Marginal",
    "Numbers",
    "Propensity",
    "Quality",
    "QueryError",
    "Summary",
    "Utility",
    "measure",
    "query_error",
]
