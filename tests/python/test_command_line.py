"""``python -m tenspan``."""

import json
import os
import subprocess
import sys
from pathlib import Path

import tenspan as ts

from .conftest import run


def test_info_shows_metadata_and_tensors(model: Path) -> None:
    text = run("info", model).stdout
    assert "gguf version 3" in text and "general.name = 'test'" in text
    assert "blocks" in text and "q4_k" in text and "4×256" in text


def test_info_as_json_is_one_document(model: Path) -> None:
    document = json.loads(run("info", model, "--json").stdout)
    assert document["format"] == "gguf" and document["metadata"]["general.name"] == "test"
    assert document["tensors"][2] == {"name": "blocks", "dtype": "q4_k", "shape": [4, 256], "nbytes": 576}


def test_validate_answers_by_exit_code(model: Path, tmp_path: Path) -> None:
    assert "valid" in run("validate", model).stdout
    damaged = tmp_path / "damaged.gguf"
    damaged.write_bytes(model.read_bytes()[:40])
    assert str(damaged) in run("validate", damaged, code=1).stdout
    assert run("validate", "-q", damaged, code=1).stdout == ""
    assert "tenspan:" in run("validate", tmp_path / "none", code=3).stderr


def test_quantize_writes_a_file_and_says_what_became_of_it(model: Path, tmp_path: Path) -> None:
    done = run("quantize", model, tmp_path / "out.gguf", "q8_0")
    assert "q8_0" in done.stdout and done.stderr == ""
    with ts.open(tmp_path / "out.gguf") as file:
        assert file["weight"].dtype.name == "q8_0"
    reports = json.loads(run("quantize", model, tmp_path / "out.gguf", "q8_0", "--json").stdout)
    assert reports["tensors"][0]["from"] == "float32"
    assert run("quantize", model, tmp_path / "out.gguf", "q9_0", code=1).stderr.startswith("tenspan: ")


def test_usage_errors_are_2() -> None:
    run(code=2)
    run("unknown", code=2)


def test_the_version_is_that_of_the_package() -> None:
    from importlib.metadata import version

    assert run("--version").stdout == f"tenspan {ts.__version__}\n"
    assert ts.__version__ == version("tenspan")


def test_a_closed_pipe_is_quiet(model: Path, tmp_path: Path) -> None:
    row = ts.zeros((1, 4))
    ts.save(tmp_path / "many.gguf", {f"tensor.{i}": row for i in range(20_000)})
    process = subprocess.Popen(
        [sys.executable, "-m", "tenspan", "info", str(tmp_path / "many.gguf")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout and process.stderr
    process.stdout.readline()
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 141 and errors == b""


def test_tracebacks_come_only_on_demand(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tenspan", "info", str(tmp_path / "none")]
    plain = subprocess.run(command, capture_output=True, text=True)
    debug = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "TENSPAN_DEBUG": "1"})
    assert "Traceback" not in plain.stderr and "Traceback" in debug.stderr
