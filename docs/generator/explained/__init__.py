"""The pictures of the explanation pages: one a file, drawn from what shoal does with the table in the page's text."""
