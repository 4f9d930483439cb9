"""Recodings: how a class becomes published cells, or groups two tables; the codebook says what cells mean."""
