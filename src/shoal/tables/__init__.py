"""Tables: read, held column by column, and written; roles of columns, types, marks in cells, rules for column names."""
