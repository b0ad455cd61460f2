"""What the documents and the package say of the client is so."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

from program import ROOT, SRC

_BLOCK = re.compile(r"(?:<!-- around\n(?P<around>(?:(?!-->).)*)-->\n)?```python\n(?P<code>.*?)```", re.DOTALL)
_PAGES = ["docs/python.md", "docs/programs.md", "sdk/python/README.md"]


def whole(around: str | None, code: str) -> str:
    """A block in the program of the hidden comment above it."""
    if not around:
        return code
    before, place, after = around.partition("# here\n")
    indent = before[before.rfind("\n") + 1 :]
    assert place, around
    return before.removesuffix(indent) + textwrap.indent(code, indent) + after


def test_blocks_have_no_mistakes_of_types(tmp_path: Path) -> None:
    for name in _PAGES:
        found = list(_BLOCK.finditer((ROOT / name).read_text()))
        assert found, name
        for i, block in enumerate(found):
            file = tmp_path / f"{Path(name).stem.lower()}_{i}.py"
            file.write_text(whole(block["around"], block["code"]))
    line = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "."]
    done = subprocess.run(line, cwd=tmp_path, env={"MYPYPATH": SRC}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_has_its_types_and_its_licence(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "sdk" / "python", tmp_path / "source", ignore=shutil.ignore_patterns("__pycache__", "test"))
    line = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*line, "--wheel-dir", tmp_path, tmp_path / "source"], check=True)
    (wheel,) = tmp_path.glob("clew_run_client-*-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as z:
        names = z.namelist()
        meta = z.read(next(n for n in names if n.endswith(".dist-info/METADATA"))).decode()
    assert {"clew/__init__.py", "clew/types.py", "clew/magics.py", "clew/py.typed"} <= set(names)
    assert any(n.endswith("/LICENSE") for n in names)
    assert re.findall(r"^Requires-(?:Dist|Python): (.*)$", meta, re.MULTILINE) == [">=3.10", "websockets>=15"]
