"""A model server for development, with the REST API of TensorFlow Serving."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from keras_nmt.errors import UserError
from keras_nmt.serving._served_model import ServedModel

HOST = "127.0.0.1"


class DevelopmentServer:
    """A local stand-in for TensorFlow's model server, with its REST API. TensorFlow Serving is for production.

    The server loads the highest version of an export and answers on this machine only:

    - `POST /v1/models/NAME:predict`, in row (`instances`) and column format (`inputs`); `GET /v1/models/NAME`, the
      status; `GET /v1/models/NAME/metadata`, the signatures; each also with `/versions/VERSION` behind the name.
    - `GET /v1/models`: the name of the model. `GET /healthz`: the version that is served.

    A new highest version is loaded and replaces the one before. Like the model server, the server runs a version's
    warm-up requests first, and does not load a version of which one fails. As in a stock model server, signatures with
    `_xla` behind their names are refused, unless `xla` allows them. `savedmodels/README.md` has its limits.

    Needs the extra `serving`. The server answers as soon as it is made, and ends with `stop` or a `with` block.

    Args:
        path: Path of the folder of versions that `keras-nmt export` wrote.
        name: String, the model's name in requests. Defaults to the folder's name.
        port: Integer, the port; 0 for a free one. Defaults to 8501.
        xla: Boolean, whether `_xla` signatures are allowed. Defaults to `False`.
        poll_seconds: Float, the time between two looks at the folder. Defaults to 1.

    Attributes:
        rest_url: String, the URL for `keras_nmt.serving.Client`.

    Raises:
        UserError: There is no version in the folder, the highest one is damaged or a warm-up request of it fails, the
            port is in use, or the extra `serving` is not installed.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        name: str | None = None,
        port: int = 8501,
        xla: bool = False,
        poll_seconds: float = 1.0,
    ) -> None:
        try:
            from keras_nmt.serving._rest_server import RestServer
        except ImportError:
            raise UserError(
                f"A development server needs Werkzeug: pip install 'keras_nmt[serving]'. Received: {os.fspath(path)}"
            ) from None
        self.name = name or Path(path).resolve().name
        self._model = ServedModel(self.name, Path(path), xla)
        try:
            self._http = RestServer(HOST, port, self._model)
        except (OSError, OverflowError) as error:
            raise UserError(
                f"The port cannot be used, {getattr(error, 'strerror', error)}: choose another. Received: port={port}"
            ) from None
        self.rest_url = f"http://{HOST}:{self._http.port}"
        self._stopped = threading.Event()
        self._threads = [
            threading.Thread(target=self._http.serve_forever, args=[0.1], daemon=True),
            threading.Thread(target=self._model.watch, args=[self._stopped, poll_seconds], daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def version(self) -> int:
        """The number of the version that is served."""
        return self._model.current.number

    def wait(self) -> None:
        """Waits until the server is stopped, by another thread or by Ctrl-C."""
        self._stopped.wait()

    def stop(self) -> None:
        """Ends the server, once the requests that it has received are answered."""
        self._http.stop()
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def __enter__(self) -> DevelopmentServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
