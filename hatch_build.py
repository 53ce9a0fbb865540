"""The package's own description: README.md as it is read where the repository's files are not."""

import runpy
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

REST = "The files named here come with the source distribution.\n"


class Description(MetadataHookInterface):
    """Makes `readme`; `Repository` in pyproject.toml's project.urls makes its links whole."""

    def update(self, metadata: dict) -> None:
        """Write it into the metadata."""
        root = Path(self.root)
        read_elsewhere = runpy.run_path(str(root / "course" / "elsewhere.py"))["read_elsewhere"]
        repository = metadata.get("urls", {}).get("Repository")
        text = read_elsewhere((root / "README.md").read_text(encoding="utf-8"), repository)
        text = text if repository else f"{text}\n{REST}"
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
