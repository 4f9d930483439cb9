"""`python -m docs.generator.explained`: draw the pictures of the explanation pages anew."""

from docs.generator.explained.all_pictures import FIGURES, draw

draw(FIGURES)
