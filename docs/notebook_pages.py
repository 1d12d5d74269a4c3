"""Notebooks as pages: run them with a kernel, and show them with their outputs on the site.

``python docs/notebook_pages.py`` runs every notebook of ``docs/notebooks`` and keeps what it prints and draws;
`page_of` gives a notebook as Markdown: it is a file of JSON (format 4), so showing one takes no package.
"""

from __future__ import annotations

import base64
import io
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent / "notebooks"
WIDTH = 640  # of a picture on a page, in pixels; figures are drawn with twice as many


def page_of(path: Path) -> str:
    """The cells as Markdown: text, fences of python, what they printed, pictures as data."""
    parts = []
    for cell in read(path)["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        printed = "".join(_text(output) for output in cell["outputs"])
        parts += [f"```text\n{printed.rstrip()}\n```"] if printed.strip() else []
        parts += [_picture(output) for output in cell["outputs"] if _png(output)]
    where = f"This page is a notebook: [download it](../notebooks/{path.name})."
    title, _, rest = "\n\n".join(parts).partition("\n\n")
    return f"{title}\n\n{where}\n\n{rest}\n"


def _png(output: dict[str, Any]) -> str:
    """The picture of an output in base64, or nothing."""
    return "".join(output.get("data", {}).get("image/png", "")).replace("\n", "")


def _picture(output: dict[str, Any]) -> str:
    return f'<img alt="what the lines above draw" width="{WIDTH}" src="data:image/png;base64,{_png(output)}">'


def _text(output: dict[str, Any]) -> str:
    """What an output says in words; a picture is seen, not said."""
    return "" if _png(output) else "".join(output.get("text", output.get("data", {}).get("text/plain", "")))


def said_by(notebook: dict[str, Any]) -> list[str]:
    """What every cell of code says, and how many pictures it draws."""
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return [
        "".join(map(_text, cell["outputs"])) + f"[{sum(bool(_png(o)) for o in cell['outputs'])}]"
        for cell in cells
    ]


def read(path: Path) -> dict[str, Any]:
    """The notebook as plain values."""
    return json.loads(path.read_text(encoding="utf-8"))


def execute(path: Path) -> dict[str, Any]:
    """The notebook run from first cell to last in an empty folder, without what tells of the machine."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(
            notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": folder}}
        ).execute()
    notebook.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    for number, cell in enumerate(notebook.cells):
        cell.metadata, cell["id"] = {}, f"cell-{number}"
        if cell.cell_type == "code":
            cell.outputs = _joined([o for o in cell.outputs if o.get("name") != "stderr"])
            for output in filter(_png, cell.outputs):
                output["data"] = {"image/png": _smaller(_png(output))}
    return json.loads(nbformat.writes(notebook))


def _joined(outputs: list[Any]) -> list[Any]:
    """Outputs with what was printed piece by piece in one: how it was cut depends on the time it took."""
    kept: list[Any] = []
    for output in outputs:
        if kept and output.output_type == kept[-1].output_type == "stream":
            kept[-1]["text"] += output["text"]
        else:
            kept.append(output)
    return kept


def _smaller(picture: str) -> str:
    """A picture with 200 colours, a third of its size."""
    from PIL import Image

    small = io.BytesIO()
    image = Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB")
    image.quantize(200, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
        small, "PNG", optimize=True
    )
    return base64.b64encode(small.getvalue()).decode()


def write(path: Path, notebook: dict[str, Any]) -> None:
    """Keep the notebook, indented by one as Jupyter does."""
    text = json.dumps(notebook, indent=1, ensure_ascii=False)
    path.write_text(re.sub(r" +$", "", text, flags=re.MULTILINE) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:] or sorted(FOLDER.glob("*.ipynb")):
        write(Path(name), execute(Path(name)))
