#!/usr/bin/env bash
# Measures everything that a machine with a GPU is needed for; see README.md beside this file. `--help` lists the options.
# The package need not be installed, and PYTHON may name another interpreter.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export PYTHONPATH="$root${PYTHONPATH:+:$PYTHONPATH}"
exec "${PYTHON:-python3}" "$root/benchmarks/gpu.py" "$@"
