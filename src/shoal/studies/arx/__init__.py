"""Projects of ARX, another anonymizer: read, and written down as a folder with a `shoal.toml`."""

from shoal.studies.arx.project import Project, read_project

__all__ = ["Project", "read_project"]
