"""The commands that look inside trained models: `inspect`."""

from __future__ import annotations

from keras_nmt.cli import inspection_of_bridges, inspection_of_states, inspection_of_vectors
from keras_nmt.cli.run_app import make_app

inspect_app = make_app("Looks inside a trained model.")
for module in (inspection_of_states, inspection_of_vectors, inspection_of_bridges):
    for name, command in module.COMMANDS.items():
        inspect_app.command(name)(command)
