"""`python -m docs.generator [FOLDER]`: write the pages of the site."""

import sys
from pathlib import Path

from docs.generator.pages import ROOT, write_pages

write_pages(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "docs")
