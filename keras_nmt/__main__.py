"""Runs `keras-nmt` as `python -m keras_nmt`."""

from keras_nmt.cli import main

if __name__ == "__main__":
    main()
