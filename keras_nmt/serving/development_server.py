"""A model server for development, with the APIs of TensorFlow Serving."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from keras_nmt.errors import UserError
from keras_nmt.serving._grpc_services import add_services
from keras_nmt.serving._served_model import LARGEST_REQUEST, ServedModel
from keras_nmt.serving._serving_api import serving_api

HOST = "127.0.0.1"


class DevelopmentServer:
    """A local stand-in for TensorFlow's model server, with its two APIs.

    The server is for development; TensorFlow Serving is for production.

    The server loads the highest version of an export and answers on this machine only:

    - gRPC: `PredictionService.Predict` and `.GetModelMetadata`, `ModelService.GetModelStatus`.
    - REST: `GET /v1/models/NAME`, `GET /v1/models/NAME/metadata`, `POST /v1/models/NAME:predict` in row (`instances`)
      and column format (`inputs`), each also with `/versions/VERSION` behind the name.
    - `GET /v1/models`: the name of the model. `GET /openapi.json`: an OpenAPI 3.1 description of REST, with the
      signatures of the version that is served.

    The server follows the folder of versions: a new highest version is loaded and replaces the one before. Like the
    model server, it runs a version's warm-up requests first, and does not load a version of which one fails. Errors
    have the status codes of the model server. As in a stock model server, signatures with `_xla` behind their names are
    refused, unless `xla` allows them. The server does not batch or encrypt requests, and has limits of its own
    (`savedmodels/README.md`).

    Needs the extra `serving`. The server answers as soon as it is made, and ends with `stop` or a `with` block.

    Args:
        path: Path of the folder of versions that `keras-nmt export` wrote.
        name: String, the model's name in requests. Defaults to the folder's name.
        rest_port: Integer, the port of REST; 0 for a free one. Defaults to 8501.
        port: Integer, the port of gRPC; 0 for a free one. Defaults to 8500.
        xla: Boolean, whether `_xla` signatures are allowed. Defaults to `False`.
        poll_seconds: Float, the time between two looks at the folder. Defaults to 1.

    Attributes:
        rest_url: String, the URL of REST for `keras_nmt.serving.Client`.
        grpc_url: String, the URL of gRPC for the same client.

    Raises:
        UserError: There is no version in the folder, the highest one is damaged or a warm-up request of it fails, a
            port is in use, or the extra `serving` is not installed.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        name: str | None = None,
        rest_port: int = 8501,
        port: int = 8500,
        xla: bool = False,
        poll_seconds: float = 1.0,
    ) -> None:
        grpc, apis = serving_api(f"a development server of {os.fspath(path)}")
        try:
            from keras_nmt.serving._rest_server import RestServer  # here: the client needs no Werkzeug
        except ImportError:
            raise UserError(
                "A development server needs the extra `serving`: pip install 'keras_nmt[serving]'. "
                f"Received: {os.fspath(path)}"
            ) from None
        self.name = name or Path(path).resolve().name
        self._model = ServedModel(self.name, Path(path), xla, apis)
        self._rpc = grpc.server(
            ThreadPoolExecutor(32),
            options=[
                ("grpc.so_reuseport", 0),  # else a port in use would be shared
                ("grpc.max_receive_message_length", LARGEST_REQUEST),
                ("grpc.max_send_message_length", -1),
            ],
        )
        try:
            port = self._rpc.add_insecure_port(f"{HOST}:{port}")
        except (RuntimeError, OverflowError):
            raise UserError(f"The port for gRPC cannot be used: choose another. Received: port={port}") from None
        try:
            self._http = RestServer(HOST, rest_port, self._model)
        except (OSError, OverflowError) as error:
            self._rpc.stop(None)
            raise UserError(
                f"The port for REST cannot be used, {getattr(error, 'strerror', error)}: choose another. "
                f"Received: rest_port={rest_port}"
            ) from None
        self.grpc_url, self.rest_url = f"grpc://{HOST}:{port}", f"http://{HOST}:{self._http.port}"
        add_services(self._rpc, self._model, grpc, apis)
        self._rpc.start()
        self._stopped = threading.Event()
        self._threads = [
            threading.Thread(target=self._http.serve_forever, args=[0.1], daemon=True),
            threading.Thread(target=self._model.watch, args=[self._stopped, poll_seconds], daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def version(self) -> int | None:
        """The number of the version that is served; `None` where all versions have been removed."""
        current = self._model.current
        return None if current is None else current.number

    def wait(self) -> None:
        """Waits until the server is stopped, by another thread or by Ctrl-C."""
        self._stopped.wait()

    def stop(self) -> None:
        """Ends the server, once the requests that it has received are answered."""
        calls = self._rpc.stop(threading.TIMEOUT_MAX)
        self._http.stop()
        calls.wait()
        self._stopped.set()
        for thread in self._threads:
            thread.join()

    def __enter__(self) -> DevelopmentServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
