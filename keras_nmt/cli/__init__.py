"""The command line."""


def main() -> None:
    """Runs `keras-nmt`. Ctrl-C while its modules are imported ends it as later ones do: see `run_app`."""
    try:
        from keras_nmt.cli.app import main as run
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    run()
