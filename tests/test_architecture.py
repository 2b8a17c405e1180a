"""Imports point one way, as the contracts in pyproject.toml say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """Check the contracts of the pyproject.toml in a folder."""
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    command = [sys.executable, "-c", code, "--no-cache"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_import_contracts_are_kept() -> None:
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


def test_a_broken_contract_would_be_found(tmp_path: Path) -> None:
    contract = """
    [tool.importlinter]
    root_packages = ["scorer"]
    [[tool.importlinter.contracts]]
    name = "Nobody may use the cards"
    type = "forbidden"
    source_modules = ["scorer.piles"]
    forbidden_modules = ["scorer.cards"]
    """
    (tmp_path / "pyproject.toml").write_text(contract)
    done = lint_imports(tmp_path)
    assert done.returncode != 0
    assert "1 broken" in done.stdout
