"""Methods for models of every kind, and the steps that methods of several families share."""
