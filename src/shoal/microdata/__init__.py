"""The table as integers: microdata, partitions, what models see of classes, prices on rows, keyed hashes of rows."""
