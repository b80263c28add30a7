"""The quickstart from a clone of the repository: the command `keras-nmt quickstart`, with the same options.

    python recipes/quickstart.py

Needs two cores, no GPU, no download and less than five minutes.
"""

from __future__ import annotations

from keras_nmt.cli.quickstart import quickstart
from keras_nmt.cli.run_app import run_app

if __name__ == "__main__":
    run_app(quickstart)
