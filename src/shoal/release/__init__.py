"""A release: its certificate, its folder written and read, its verification."""
