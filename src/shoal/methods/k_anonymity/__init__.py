"""Methods for k-anonymity alone, with the factors and matchings they rest on."""
