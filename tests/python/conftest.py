"""What the tests share: a file of three tensors, a way to run the command line, and a folder for inline modules."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tenspan as ts

# Inline modules go where the runner of all tests says, and never into the folder of the user.
_OWN = tempfile.TemporaryDirectory(prefix="tenspan-inline-")
os.environ.setdefault("TENSPAN_CACHE_DIR", _OWN.name)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Write a GGUF file with a plain, a 16-bit and a quantized tensor."""
    weights = np.linspace(-1, 1, 4 * 256, dtype=np.float32).reshape(4, 256)
    tensors = {
        "weight": weights,
        "half": ts.cast(weights, "bfloat16"),
        "blocks": ts.quantize(weights, "q4_k"),
        "bias": np.arange(4, dtype=np.float32),
    }
    path = tmp_path / "model.gguf"
    ts.save(path, tensors, {"general.name": "test", "list": [1, 2, 3]})
    return path


@pytest.fixture(scope="session")
def int_pair() -> Any:
    """The class of Python for `testing.IntPair`, of which a process has one."""

    @ts.register_object("testing.IntPair")
    class IntPair(ts.Object):
        def __init__(self, a: int, b: int) -> None:
            self.__ffi_init__(a, b)

        def product(self) -> int:
            return self.a * self.b  # type: ignore[attr-defined, no-any-return]

    return IntPair


def run(*arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run ``python -m tenspan`` and check its exit code."""
    done = subprocess.run(
        [sys.executable, "-m", "tenspan", *map(str, arguments)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == code, done.stderr
    return done
