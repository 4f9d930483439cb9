"""The commands of `shoal hierarchy`: a command a file; `binding` puts a hierarchy on a column for them."""
