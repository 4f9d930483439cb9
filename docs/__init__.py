"""The pages of the documentation, and what makes a site of them."""
