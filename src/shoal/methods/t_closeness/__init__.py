"""Methods for t-closeness, with the fragments of sensitive values they rest on."""
