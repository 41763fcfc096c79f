"""Stops an installation without the generated code. All else about the package is in pyproject.toml."""

from pathlib import Path

from setuptools import setup

generated = Path(__file__).parent / "src/agent_payments/generated/schema.py"
if not generated.exists():
    raise SystemExit(f"{generated} is missing: run `npm install` at the root of the repository")

setup()
