"""A model server under load: many clients, lines of all lengths, random arrivals.

    python benchmarks/load.py savedmodels/MODEL --minutes 5 --rate 10

Requests of one line each arrive as a Poisson process, whether or not earlier requests are answered; the next free
client sends them. The latency of a request counts from its arrival. See README.md beside this file.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.table import Table

from keras_nmt.cli.run_app import run_app
from keras_nmt.errors import UserError
from keras_nmt.quickstart_data import FOLDER

LINES = FOLDER / "test.en"
WARMUP_LINES = 64  # equally spaced among the lengths, to cover all shapes


@dataclasses.dataclass(frozen=True)
class Server:
    """A model server.

    Attributes:
        url: The address, as `keras_nmt.serving.Client` takes it.
        model: The server's name of the model.
        pid: The server's process id, if it runs on this machine.
        xla_cache: The folder of the server's persistent XLA cache, with one file per compilation.
    """

    url: str
    model: str
    pid: int | None = None
    xla_cache: Path | None = None

    def memory(self) -> float | None:
        """Resident memory in MiB."""
        if self.pid is None:
            return None
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="utf-8")
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    def compilations(self) -> int | None:
        """The number of functions that XLA has compiled, one per shape."""
        return None if self.xla_cache is None else sum(1 for _ in self.xla_cache.iterdir())


@contextlib.contextmanager
def development_server(path: Path) -> Iterator[Server]:
    """Runs `keras-nmt serve` with XLA in a separate process."""
    with tempfile.TemporaryDirectory() as cache:
        flags = f"--tf_xla_persistent_cache_directory={cache} --tf_xla_persistent_cache_device_types=CPU"
        program = "from keras_nmt.cli.app import main; main()"
        command = [sys.executable, "-c", program, "serve", str(path), "--xla", "--port", "0"]
        environment = {**os.environ, "TF_XLA_FLAGS": flags}
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
            try:
                assert process.stderr is not None
                words = itertools.chain.from_iterable(map(str.split, iter(process.stderr.readline, "")))
                url = next((word for word in words if word.startswith("http://")), None)
                if url is None:
                    raise UserError(f"The server did not start: `keras-nmt serve {path}` prints why. Received: {path}")
                threading.Thread(target=process.stderr.read, daemon=True).start()  # a full pipe would stop the server
                yield Server(url, path.resolve().name, process.pid, Path(cache))
            finally:
                process.send_signal(signal.SIGINT)
                process.wait()


@dataclasses.dataclass(frozen=True)
class Load:
    """The results of a load test.

    Attributes:
        seconds: Latency of each answered request, from its arrival to its answer.
        errors: Number of occurrences of each error.
        duration: Seconds from the first arrival to the last answer.
    """

    seconds: list[float]
    errors: Counter[str]
    duration: float


def put_load(
    server: Server,
    lines: Sequence[str],
    *,
    clients: int,
    rate: float,
    duration: float,
    languages: tuple[str | None, str | None] = (None, None),
    seed: int = 1,
) -> Load:
    """Sends random lines at the times of a Poisson process.

    Args:
        server: The server.
        lines: The lines.
        clients: Largest number of simultaneous requests.
        rate: Arrivals per second.
        duration: Seconds in which requests arrive.
        languages: Source and target language of a multilingual model.
        seed: Seed of arrivals and lines.

    Returns:
        The latencies and errors.
    """
    from keras_nmt.serving import Client

    random = np.random.default_rng(seed)
    number = random.poisson(rate * duration)
    arrivals = np.sort(random.uniform(0, duration, number))  # given the number, the arrivals of a Poisson process
    requests = iter(list(zip(arrivals.tolist(), random.integers(len(lines), size=number).tolist(), strict=True)))
    lock, seconds, errors = threading.Lock(), [], Counter[str]()
    start = time.perf_counter()

    def work() -> None:
        with Client(server.url, server.model) as client:
            while True:
                with lock:
                    request = next(requests, None)
                if request is None:
                    return
                arrival, line = start + request[0], request[1]
                time.sleep(max(arrival - time.perf_counter(), 0))
                try:
                    client.translate([lines[line]], *languages)
                except (UserError, OSError) as error:
                    with lock:
                        errors[str(error)] += 1
                else:
                    with lock:
                        seconds.append(time.perf_counter() - arrival)

    threads = [threading.Thread(target=work) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Load(seconds, errors, time.perf_counter() - start)


def main(
    path: Annotated[
        Path | None, typer.Argument(help="Folder of an export's versions: a development server with XLA is started.")
    ] = None,
    server_url: Annotated[str | None, typer.Option("--server", help="A running server, instead of PATH.")] = None,
    model: Annotated[str, typer.Option(help="That server's name of the model.")] = "model",
    pid: Annotated[int | None, typer.Option(help="That server's process id, to measure its memory.")] = None,
    xla_cache: Annotated[
        Path | None, typer.Option(help="That server's persistent XLA cache, to count compilations.")
    ] = None,
    lines: Annotated[Path, typer.Option(help="File with one sentence per line.")] = LINES,
    source: Annotated[str | None, typer.Option(help="Language of the lines, of a multilingual model.")] = None,
    target: Annotated[str | None, typer.Option(help="Language of the translations, of a multilingual model.")] = None,
    clients: Annotated[int, typer.Option(min=1, help="Largest number of simultaneous requests.")] = 32,
    rate: Annotated[float, typer.Option(help="Arrivals per second.")] = 10.0,
    minutes: Annotated[float, typer.Option(help="Duration of the arrivals.")] = 5.0,
    seed: Annotated[int, typer.Option(help="Seed of the arrivals and lines.")] = 1,
) -> None:
    """Puts a model server under load and prints latencies, errors, memory and compilations."""
    from keras_nmt.data import read_lines
    from keras_nmt.serving import Client

    if (path is None) == (server_url is None):
        raise UserError(f"Give PATH or --server. Received: PATH={path}, --server={server_url}")
    if rate <= 0 or minutes <= 0:
        raise UserError(f"--rate and --minutes must be above 0. Received: --rate {rate}, --minutes {minutes}")
    languages = source, target
    texts = sorted((line for line in read_lines(lines) if line.strip()), key=len)
    if not texts:
        raise UserError(f"There are no sentences in the file. Received: --lines {lines}")
    with contextlib.ExitStack() as stack:
        if path is not None:
            server = stack.enter_context(development_server(path))
        else:
            server = Server(server_url or "", model, pid, xla_cache)
        with Client(server.url, server.model) as client:
            for place in np.linspace(0, len(texts) - 1, WARMUP_LINES).astype(int):
                client.translate([texts[place]], *languages)
        before = server.memory(), server.compilations()
        load = put_load(
            server, texts, clients=clients, rate=rate, duration=60 * minutes, languages=languages, seed=seed
        )
        after = server.memory(), server.compilations()

    table = Table("", "", show_header=False, box=box.SIMPLE)
    table.add_row("requests answered", f"{len(load.seconds):,} in {load.duration:.0f} s")
    table.add_row("errors", f"{load.errors.total():,}")
    for percent in (50, 95, 99) if load.seconds else ():
        table.add_row(f"p{percent}", f"{1000 * np.percentile(load.seconds, percent):.1f} ms")
    if before[0] is not None:
        table.add_row("resident memory at start and end", f"{before[0]:,.0f} MiB, {after[0]:,.0f} MiB")
    if before[1] is not None and after[1] is not None:
        table.add_row("XLA compilations before and under load", f"{before[1]}, {after[1] - before[1]}")
    Console().print(table)
    for error, count in load.errors.most_common(5):
        print(f"{count} times: {error}", file=sys.stderr)


if __name__ == "__main__":
    run_app(main)
