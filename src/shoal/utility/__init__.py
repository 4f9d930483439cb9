"""What a release is still good for: measures of use beside the costs that methods keep small."""

from shoal.utility.queries import QueryError, query_error

__all__ = ["QueryError", "query_error"]
