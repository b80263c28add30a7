"""The command line: `keras-nmt train / translate / embed / score / evaluate / export / serve / average / ...`."""

from __future__ import annotations

import itertools
import json
import os
import shlex
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from keras_nmt.errors import UserError, exhausted, one_line

# Before TensorFlow is imported: its own messages hide ours. What fails there is raised as an error all the same.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
# Keeps the memory of large tensors, such as an update's logits, for the next ones: the system would hand it out page
# by page and zero each, which takes longer than one operation's arithmetic on it.
os.environ.setdefault("TF_CPU_ALLOCATOR_USE_BFC", "1")

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Trains, uses and exports neural translation models. They live in model directories.",
)

LINES_AT_ONCE = 4096

Directory = Annotated[Path, typer.Argument(metavar="DIRECTORY", help="A model directory.")]
BeamSize = Annotated[int | None, typer.Option(help="Hypotheses the search keeps. Default: the model's.")]
LengthPenalty = Annotated[float | None, typer.Option(help="Exponent of the length penalty. Default: the model's.")]
NBest = Annotated[int | None, typer.Option(help="Translations a sentence. Default: what the directory says, or 1.")]
CoveragePenalty = Annotated[
    float | None, typer.Option(help="What translations pay that leave out parts of the source, such as 0.2.")
]
Weights = Annotated[Path | None, typer.Option(help="Weights to use instead of the directory's.")]
SourceLanguage = Annotated[
    str | None, typer.Option("--source", help="Language to translate from, of a multilingual model.")
]
TargetLanguage = Annotated[str | None, typer.Option("--target", help="Language to translate to, likewise.")]
Ensemble = Annotated[
    list[Path] | None,
    typer.Option("--ensemble", metavar="DIRECTORY", help="Another model to translate with. May be repeated."),
]
Sample = Annotated[bool, typer.Option("--sample", help="Draw translations at random instead of searching.")]
Temperature = Annotated[float | None, typer.Option(help="With --sample: below 1 likelier, above 1 more varied.")]
TopK = Annotated[int | None, typer.Option(help="With --sample: draw from the likeliest K subwords. Default: all.")]
TopP = Annotated[
    float | None,
    typer.Option(help="With --sample: draw from the likeliest subwords that sum to P. Default: 1."),
]
Xla = Annotated[bool, typer.Option("--xla", help="Compile by XLA: slower to start, faster after.")]


def main() -> None:
    """Entry point of `keras-nmt`."""
    run_app(app)


def run_app(command: typer.Typer | Callable[..., Any]) -> None:
    """Runs a command line. An error that a user can cause is one line on standard error and exit code 2.

    Args:
        command: A typer application, or a function with typer's annotations, such as a recipe's `main`.
    """
    if not isinstance(command, typer.Typer):
        single = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        single.command()(command)
        command = single
    try:
        # Not standalone: typer would print a usage error in a box.
        raise SystemExit(command(standalone_mode=False))
    except typer.Abort as error:  # Ctrl-C, for which typer takes the end of a file, too
        if isinstance(error.__cause__, EOFError):
            raise error.__cause__ from None
        raise SystemExit(130) from None
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None
    except Exception as error:
        told = _what_and_where(error)
        if told is None:
            raise
        print(f"Error: {one_line(told)}", file=sys.stderr)
        raise SystemExit(2) from None


@app.command()
def train(
    directory: Annotated[Path | None, typer.Option(help="The model directory to make or to go on in.")] = None,
    settings: Annotated[
        Path | None, typer.Option(help="A JSON file of settings, such as a run's settings.json.")
    ] = None,
    train_files: Annotated[tuple[Path, Path] | None, typer.Option("--train", help="SOURCE TARGET of training.")] = None,
    dev_files: Annotated[tuple[Path, Path] | None, typer.Option("--dev", help="SOURCE TARGET of development.")] = None,
    test_files: Annotated[tuple[Path, Path] | None, typer.Option("--test", help="SOURCE TARGET of the test.")] = None,
    preset: Annotated[str | None, typer.Option(help="Sizes of the model.")] = None,
    shortcuts: Annotated[str | None, typer.Option(help="Lexical shortcuts: none, plain or fusion.")] = None,
    vocabulary_size: Annotated[int | None, typer.Option(help="Number of subwords.")] = None,
    batch_size: Annotated[int | None, typer.Option(help="Tokens an update, padding included.")] = None,
    dtype: Annotated[str | None, typer.Option(help="float32, mixed_bfloat16 or mixed_float16.")] = None,
    replicas: Annotated[int | None, typer.Option(help="Replicas; logical CPU devices where there is no GPU.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of everything random.")] = None,
    max_updates: Annotated[int | None, typer.Option(help="Updates after which training ends.")] = None,
    time_limit: Annotated[float | None, typer.Option(help="Minutes of training after which it ends.")] = None,
    init_from: Annotated[Path | None, typer.Option(help="Model directory whose weights to start from.")] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="Any other setting; VALUE is JSON or a word. May be repeated."
        ),
    ] = None,
) -> None:
    """Trains subwords and a model. Started again with the same command, it goes on.

    Settings come from --settings, then --set, then the other options, which win. All settings and their defaults:
    `keras_nmt.experiments.experiment.Experiment`; where `languages` is set,
    `keras_nmt.experiments.multilingual_experiment`.
    """
    import_tensorflow()
    from keras_nmt.experiments.experiment import Experiment
    from keras_nmt.experiments.multilingual_experiment import MultilingualExperiment

    chosen: dict[str, Any] = dict(setting(text) for text in set_ or [])
    for prefix, files in (("train", train_files), ("dev", dev_files), ("test", test_files)):
        if files is not None:
            chosen[f"{prefix}_source"], chosen[f"{prefix}_target"] = files
    chosen |= given(
        directory=directory,
        preset=preset,
        vocabulary_size=vocabulary_size,
        batch_size=batch_size,
        dtype=dtype,
        replicas=replicas,
        seed=seed,
        max_updates=max_updates,
        time_limit=time_limit,
        init_from=init_from,
    )
    if settings is not None:
        chosen = {**Experiment.read_settings(settings), **chosen}
    if shortcuts not in (None, "none", "plain", "fusion"):
        raise UserError(f"--shortcuts is none, plain or fusion. Received: {shortcuts}")
    if shortcuts is not None and isinstance(chosen.setdefault("model", {}), dict):  # else said to be none below
        chosen["model"] = {**chosen["model"], "shortcuts": None if shortcuts == "none" else shortcuts}
    kind = MultilingualExperiment if "languages" in chosen else Experiment
    kind.from_settings(chosen).run()


@app.command()
def translate(
    context: typer.Context,
    directory: Annotated[Path | None, typer.Argument(metavar="DIRECTORY", help="A model directory.")] = None,
    server: Annotated[
        str | None,
        typer.Option(metavar="URL", help="A model server in place of DIRECTORY: http://HOST:8501 or grpc://HOST:8500."),
    ] = None,
    model: Annotated[str, typer.Option(metavar="NAME", help="What the server calls the model.")] = "model",
    source: SourceLanguage = None,
    target: TargetLanguage = None,
    beam_size: BeamSize = None,
    length_penalty: LengthPenalty = None,
    n_best: NBest = None,
    scores: Annotated[bool, typer.Option("--scores", help="Write score, tab, translation.")] = False,
    weights: Weights = None,
    xla: Xla = False,
    sample: Sample = False,
    temperature: Temperature = None,
    top_k: TopK = None,
    top_p: TopP = None,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="With --sample: seed of what is drawn.")] = 1,
    prefixes: Annotated[
        Path | None, typer.Option(help="Text that each line's translation has to begin with, empty for nothing.")
    ] = None,
    ensemble: Ensemble = None,
    coverage_penalty: CoveragePenalty = None,
    alignments: Annotated[
        Path | None, typer.Option(help="File to write: which words of source and translation align, as 0-0 1-2.")
    ] = None,
    alignment_layer: Annotated[
        int | None, typer.Option(min=1, help="Decoder layer whose attention aligns. Default: the last but one.")
    ] = None,
) -> None:
    """Translates standard input to standard output, line by line.

    With --n-best N every line gives N lines, best first, and as many in the file of --alignments. What a server's model
    was exported with is fixed.
    """
    named = _named_on_command_line(context)
    if "seed" in named and not sample:
        raise UserError(f"--seed goes with --sample. Received: --seed {seed}")
    if server is not None:
        for_both = {"server", "model", "source", "target", "n_best", "scores", "sample", "seed"}
        if others := [shown for name, shown in named.items() if name not in for_both]:
            raise UserError(f"These do not go with --server. Received: {', '.join(others)}")
        number = 1 if n_best is None else n_best
        _translate_by_server(server, model, source, target, number, scores, seed if sample else None)
        return
    if directory is None:
        raise UserError("Give a model's DIRECTORY, or --server URL. Received: neither")
    if "model" in named:
        raise UserError(f"--model goes with --server. Received: --model {model}")
    if sample and beam_size is not None:
        raise UserError(f"--sample does not search: it has no beam. Received: --beam-size {beam_size}")
    sampling = _sampling(sample, temperature, top_k, top_p)
    translator = _translator(
        directory,
        source=source,
        target=target,
        beam_size=beam_size,
        length_penalty=length_penalty,
        num_hypotheses=n_best,
        weights=weights,
        xla=xla,
        ensemble=ensemble or (),
        **sampling,
        **given(coverage_penalty=coverage_penalty),
    )
    if alignment_layer is not None and alignments is None:
        raise UserError(f"--alignment-layer goes with --alignments FILE. Received: --alignment-layer {alignment_layer}")
    truncated, aligned = 0, []
    for lines, beside in _with_inputs_beside(_chunks(_standard_input()), prefixes, seed if sample else None):
        translations = translator.translate(lines, **beside)
        if alignments is not None:
            texts = [hypothesis.text for translation in translations for hypothesis in translation.hypotheses]
            sources = [line for line in lines for _ in range(translator.num_hypotheses)]
            aligned += translator.align(sources, texts, alignment_layer)
        for translation in translations:
            truncated += translation.truncated
            for hypothesis in translation.hypotheses:
                _write_line(f"{hypothesis.score:.4f}\t{hypothesis.text}" if scores else hypothesis.text)
        sys.stdout.flush()
    if alignments is not None:
        from keras_nmt.files.atomic_files import write_bytes

        shown = (" ".join(f"{source}-{target}" for source, target in pairs) for pairs in aligned)
        write_bytes(alignments, "".join(f"{line}\n" for line in shown).encode())
    _warn_truncated(truncated, translator)


@app.command()
def embed(
    directory: Directory,
    language: Annotated[str, typer.Option(help="Language of the sentences.")],
    output: Annotated[Path, typer.Option(help="File to write, *.npy: an array [lines, width], float32.")],
    all_vectors: Annotated[
        bool, typer.Option("--all-vectors", help="Write the k vectors of each sentence: [lines, k, width].")
    ] = False,
    weights: Weights = None,
) -> None:
    """Writes a vector for each line of standard input: the mean of what the attention bridge makes of it."""
    import_tensorflow()
    import io

    import numpy as np

    from keras_nmt.files.atomic_files import write_bytes
    from keras_nmt.inference import MultilingualTranslator

    if output.suffix != ".npy":
        raise UserError(f"The vectors go to a NumPy file, *.npy. Received: --output {output}")
    translator = MultilingualTranslator.from_directory(directory, weights=weights)
    chunks = [translator.embed(lines, language)[all_vectors] for lines in _chunks(_standard_input())]
    if not chunks:
        raise UserError("There is nothing to embed on standard input. Received: no lines")
    file = io.BytesIO()
    np.save(file, np.concatenate(chunks), allow_pickle=False)
    write_bytes(output, file.getvalue())
    shape = " x ".join(map(str, (sum(map(len, chunks)), *chunks[0].shape[1:])))
    print(f"{output}: {shape}", file=sys.stderr)


@app.command()
def score(
    directory: Directory,
    source: Annotated[Path, typer.Argument(help="Source sentences, one a line.")],
    target: Annotated[Path, typer.Argument(help="Their translations.")],
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    weights: Weights = None,
    ensemble: Ensemble = None,
) -> None:
    """Writes the log-probability of each given translation, one a line."""
    import_tensorflow()
    from keras_nmt.data import read_line_pairs

    sources, targets = read_line_pairs(source, target)
    translator = _translator(
        directory, source=source_language, target=target_language, weights=weights, ensemble=ensemble or ()
    )
    for log_probability in translator.score(sources, targets):
        _write_line(f"{log_probability:.4f}")


@app.command()
def evaluate(
    references: Annotated[
        list[Path], typer.Argument(help="Reference translations; several files: several references.")
    ],
    directory: Annotated[Path | None, typer.Option(help="Model directory that translates --source.")] = None,
    source: Annotated[Path | None, typer.Option(help="Source sentences.")] = None,
    hypotheses: Annotated[
        Path | None, typer.Option(help="A system's output, instead of --directory and --source.")
    ] = None,
    baseline: Annotated[Path | None, typer.Option(help="Another system's output: paired bootstrap against it.")] = None,
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Ignore case.")] = False,
    source_language: Annotated[str | None, typer.Option(help="Language of --source, of a multilingual model.")] = None,
    target_language: Annotated[str | None, typer.Option(help="Language of the references, likewise.")] = None,
    beam_size: BeamSize = None,
    length_penalty: LengthPenalty = None,
    weights: Weights = None,
) -> None:
    """Scores a model or a system's output by sacreBLEU: BLEU, chrF, TER with their signatures."""
    import_tensorflow()
    from keras_nmt.data import read_lines
    from keras_nmt.evaluation import corpus_scores, paired_bootstrap

    if (hypotheses is None) == (directory is None) or (directory is None) != (source is None):
        raise UserError(
            "Give --hypotheses, or --directory with --source. "
            f"Received: hypotheses={hypotheses}, directory={directory}, source={source}"
        )
    of_the_model = given(
        beam_size=beam_size,
        length_penalty=length_penalty,
        weights=weights,
        source_language=source_language,
        target_language=target_language,
    )
    if hypotheses is not None and of_the_model:
        flags = ", ".join("--" + name.replace("_", "-") for name in of_the_model)
        raise UserError(f"These go with --directory, and --hypotheses was given. Received: {flags}")
    streams = [read_lines(path) for path in references]
    if hypotheses is not None:
        lines = read_lines(hypotheses)
    else:
        assert directory is not None
        assert source is not None
        translator = _translator(
            directory,
            source=source_language,
            target=target_language,
            beam_size=beam_size,
            length_penalty=length_penalty,
            weights=weights,
        )
        translations = translator.translate(read_lines(source))
        _warn_truncated(sum(translation.truncated for translation in translations), translator)
        lines = [translation.text for translation in translations]
    if baseline is None:
        results: dict[str, Any] = dict(corpus_scores(lines, streams, lowercase=lowercase))
    else:
        results = dict(paired_bootstrap(lines, read_lines(baseline), streams, lowercase=lowercase))
    for result in results.values():
        _write_line(str(result))


@app.command()
def export(
    directory: Directory,
    path: Annotated[Path, typer.Argument(help="Folder of the model's versions, which a model server watches.")],
    source: SourceLanguage = None,
    target: TargetLanguage = None,
    version: Annotated[int | None, typer.Option(help="Version. Default: the next one.")] = None,
    beam_size: BeamSize = None,
    length_penalty: LengthPenalty = None,
    n_best: NBest = None,
    max_length: Annotated[int | None, typer.Option(help="Most tokens of a translation.")] = None,
    weights: Weights = None,
    warmup: Annotated[
        Path | None, typer.Option(help="Lines of text that a server translates while it loads: all their lengths.")
    ] = None,
    warmup_xla: Annotated[
        bool, typer.Option("--warmup-xla", help="With --warmup, compile too. Only servers with XLA load it then.")
    ] = False,
    sample: Annotated[
        bool, typer.Option("--sample", help="Add signatures that draw translations at random, by a seed a text.")
    ] = False,
    temperature: Temperature = None,
    top_k: TopK = None,
    top_p: TopP = None,
    ensemble: Ensemble = None,
    coverage_penalty: CoveragePenalty = None,
    quantize: Annotated[
        str | None, typer.Option(metavar="int8", help="Turn the weights to int8: a quarter of the size.")
    ] = None,
) -> None:
    """Writes a SavedModel: text in, text out, without Python, to PATH/VERSION.

    Of a multilingual model, all directions; with --source and --target, that one only.
    """
    import_tensorflow()
    from keras_nmt.data import read_lines
    from keras_nmt.serving import export_directory

    if warmup_xla and warmup is None:
        raise UserError("--warmup-xla goes with --warmup FILE. Received: --warmup-xla alone")
    options = given(
        beam_size=beam_size,
        length_penalty=length_penalty,
        num_hypotheses=n_best,
        max_length=max_length,
        coverage_penalty=coverage_penalty,
    )
    options |= _sampling(sample, temperature, top_k, top_p)
    options |= {"version": version, "weights": weights, "ensemble": ensemble or (), "quantize": quantize}
    if warmup is not None:
        options |= {"warmup": read_lines(warmup), "warmup_xla": warmup_xla}
    _write_line(str(export_directory(path, directory, source=source, target=target, **options)))


@app.command()
def serve(
    path: Annotated[Path, typer.Argument(help="Folder of a model's versions, as `keras-nmt export` writes them.")],
    name: Annotated[str | None, typer.Option(help="What requests call the model. Default: the folder's name.")] = None,
    rest_port: Annotated[int, typer.Option(min=0, max=65535, help="Port of REST; 0: any.")] = 8501,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of gRPC; 0: any.")] = 8500,
    xla: Annotated[bool, typer.Option("--xla/--no-xla", help="Whether `_xla` signatures are allowed.")] = False,
) -> None:
    """For development: serves an export on this machine, as TensorFlow Serving does in production, until Ctrl-C.

    The server takes the place of the model server where there is none: the same REST and gRPC requests, the same
    answers and errors. A version that is exported to the folder meanwhile replaces the one before. Ctrl-C ends the
    server once its requests are answered; a second Ctrl-C ends the server at once. The server is not made for many
    users, nor for the network: `savedmodels/README.md` shows how to run TensorFlow Serving.
    """
    import_tensorflow()
    from keras_nmt.serving import DevelopmentServer

    numbers = signal.SIGINT, signal.SIGTERM

    def stop(*_: object) -> None:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)  # a second signal ends the process at once
        raise KeyboardInterrupt

    for number in numbers:  # SIGINT, too: a shell lets its background processes ignore it
        signal.signal(number, stop)
    with DevelopmentServer(path, name=name, rest_port=rest_port, port=port, xla=xla) as server:
        print(f"{server.name}, version {server.version}, for development, until Ctrl-C:", file=sys.stderr)
        for url in (server.rest_url, server.grpc_url):
            command = shlex.join(["keras-nmt", "translate", "--server", url, "--model", server.name])
            print(f"    {command}", file=sys.stderr, flush=True)
        server.wait()


@app.command()
def average(
    directory: Directory,
    last: Annotated[int | None, typer.Option(help="Average the last N checkpoints.")] = None,
    best: Annotated[int | None, typer.Option(help="Average the best N checkpoints.")] = None,
    output: Annotated[
        Path | None, typer.Option(help="File to write, *.weights.h5. Default: the model's weights.")
    ] = None,
) -> None:
    """Averages checkpoints into the model's weights."""
    import_tensorflow()
    from keras_nmt.training import average_checkpoints

    if (last is None) == (best is None):
        raise UserError(f"Give --last N or --best N. Received: last={last}, best={best}")
    number = last if last is not None else best
    assert number is not None
    which = "last" if last is not None else "best"
    updates = average_checkpoints(directory, which=which, number=number, output=output)
    _write_line(f"Averaged updates {', '.join(map(str, updates))}")


@app.command()
def info(directory: Directory) -> None:
    """Shows a model's configuration, parameters and sizes."""
    import numpy as np
    from rich.console import Console
    from rich.table import Table

    import_tensorflow()
    from keras_nmt.models import ModelDirectory

    folder = ModelDirectory(directory)
    config = folder.load_config()
    model = folder.load_model(dtype="float32")
    table = Table(show_header=False, box=None)
    for name, value in config["model"]["config"].items():
        table.add_row(name, str(value))
    for name, value in config["search"].items():
        table.add_row(name, str(value))
    groups: dict[str, int] = {}
    for weight in model.trainable_weights:
        part = weight.path.split("/")[0]
        groups[part] = groups.get(part, 0) + int(np.prod(weight.shape))
    table.add_section()
    table.add_row("parameters", f"{sum(groups.values()):,}")
    for part, count in groups.items():
        table.add_row(f"  {part}", f"{count:,}")
    table.add_section()
    for path in sorted({folder.weights_path, *folder.subword_paths().values()}):
        table.add_row(path.name, f"{path.stat().st_size:,} bytes")
    Console(soft_wrap=True, markup=False).print(f"{config['model']['class']} in {directory}", table, sep="\n")


inspect_app = typer.Typer(help="Looks inside a trained model.")
app.add_typer(inspect_app, name="inspect")


@inspect_app.command("bridge")
def inspect_bridge(
    directory: Directory,
    language: Annotated[str, typer.Option(help="Language of the sentences.")],
    first: Annotated[
        int | None,
        typer.Option(min=0, help="How many heads are the first ones. Default: each sentence's number of tokens."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(help="Folder for entropy.json, entropy.png, attention.jsonl and attention-LINE.png."),
    ] = None,
    heat_maps: Annotated[int, typer.Option(min=0, help="Sentences whose attention is written to --output.")] = 10,
    weights: Weights = None,
) -> None:
    """Shows how widely the heads of the attention bridge look at the sentences of standard input.

    Numbers are mean entropies in nats: 0 is one token, log n all of n tokens alike. Empty lines are left out.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table

    import_tensorflow()
    from keras_nmt.analysis import bridge_attention, bridge_entropy, plot_bridge_attention, plot_bridge_entropy
    from keras_nmt.analysis._figures import save_figure
    from keras_nmt.files.atomic_files import write_bytes, write_json
    from keras_nmt.inference.load import load_multilingual

    model, tokenizers, _ = load_multilingual(directory, weights)
    if language not in tokenizers:
        raise UserError(f"The model has the languages {', '.join(tokenizers)}. Received: --language {language}")
    lines = {number: line for number, line in enumerate(_standard_input(), 1) if line.strip()}
    if not lines:
        raise UserError("There are no sentences on standard input. Received: no lines, or empty ones")
    attentions = bridge_attention(model, tokenizers[language], language, list(lines.values()))
    entropy = bridge_entropy(attentions, num_first=first)
    numbers = entropy.numbers()

    shown = {
        "all_heads": "all heads",
        "first_heads": f"first {'n' if first is None else first} heads",
        "other_heads": "other heads",
    }
    title = f"{len(lines):,} sentence(s), {len(entropy.by_head)} heads, {entropy.lengths.mean():.1f} tokens on average"
    table = Table("", "mean entropy (nats)", title=title, title_justify="left", box=box.SIMPLE)
    for name, label in shown.items():
        table.add_row(label, "-" if numbers[name] is None else f"{numbers[name]:.4f}")
    Console(soft_wrap=True, markup=False).print(table)

    if output is None:
        return
    write_json(output / "entropy.json", {"language": language, **numbers})
    chosen = list(zip(lines, attentions, strict=True))[:heat_maps]
    rows = [{"line": line, "tokens": tokens, "attention": values.tolist()} for line, (tokens, values) in chosen]
    attention_lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    write_bytes(output / "attention.jsonl", attention_lines.encode())
    save_figure(output / "entropy.png", plot_bridge_entropy(entropy))
    for line, attention in chosen:
        save_figure(output / f"attention-{line}.png", plot_bridge_attention(attention, title=f"line {line}"))


def import_tensorflow() -> None:
    """Imports TensorFlow without the lines that it writes to standard error before it reads its log level."""
    sys.stderr.flush()
    standard_error = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        import keras_hub  # noqa: F401
        import tensorflow_text  # noqa: F401
    finally:
        os.dup2(standard_error, 2)
        os.close(nowhere)
        os.close(standard_error)


def _translator(
    directory: Path,
    *,
    source: str | None = None,
    target: str | None = None,
    beam_size: int | None = None,
    length_penalty: float | None = None,
    num_hypotheses: int | None = 1,
    weights: Path | None = None,
    xla: bool = False,
    **more: Any,
) -> Any:
    import_tensorflow()
    from keras_nmt.inference import Translator

    options = more | given(beam_size=beam_size, length_penalty=length_penalty, num_hypotheses=num_hypotheses)
    return Translator.from_directory(
        directory,
        weights=weights,
        source=source,
        target=target,
        jit_compile=xla,
        **options,
    )


def _sampling(sample: bool, temperature: float | None, top_k: int | None, top_p: float | None) -> dict[str, Any]:
    """What a translator is told of sampling."""
    options = given(temperature=temperature, top_k=top_k, top_p=top_p)
    if options and not sample:
        flags = ", ".join(f"--{name.replace('_', '-')} {value}" for name, value in options.items())
        raise UserError(f"These go with --sample. Received: {flags}")
    return {"sample": True, **options} if sample else {}


def _with_inputs_beside(
    chunks: Iterable[list[str]], prefixes: Path | None, seed: int | None
) -> Iterator[tuple[list[str], dict[str, Any]]]:
    """Lines, and what is given to each of them: prefixes from a file, seeds from one seed."""
    import numpy as np

    from keras_nmt.data import read_lines
    from keras_nmt.inference._text_translator import seeds_of_lines

    beginnings = [] if prefixes is None else read_lines(prefixes)
    generator, start = None if seed is None else np.random.RandomState(seed), 0
    for lines in chunks:
        beside: dict[str, Any] = {}
        if generator is not None:
            beside["seeds"] = seeds_of_lines(generator, len(lines))
        if prefixes is not None:
            beside["prefixes"] = beginnings[start : start + len(lines)]
            if len(beside["prefixes"]) < len(lines):
                break
        yield lines, beside
        start += len(lines)
    else:
        if prefixes is None or start == len(beginnings):
            return
    raise UserError(
        f"{prefixes} must have a line, which may be empty, for each line of standard input. "
        f"Received: {len(beginnings)} lines"
    )


def _translate_by_server(
    url: str, model: str, source: str | None, target: str | None, n_best: int, scores: bool, seed: int | None
) -> None:
    import_tensorflow()
    from keras_nmt.serving import Client

    if seed is not None and (source is not None or target is not None):
        raise UserError(f"A server samples from models of one pair: name no languages. Received: {source}, {target}")
    truncated = 0
    with Client(url, model) as client:
        for lines, beside in _with_inputs_beside(_chunks(_standard_input()), None, seed):
            found = client.translate(lines, source, target) if seed is None else client.sample(lines, **beside)
            for translation in found:
                truncated += translation.truncated
                if not 1 <= n_best <= len(translation.hypotheses):
                    raise UserError(
                        f"The server's model was exported to give {len(translation.hypotheses)} translation(s) a "
                        f"sentence. Received: --n-best {n_best}"
                    )
                for hypothesis in translation.hypotheses[:n_best]:
                    _write_line(f"{hypothesis.score:.4f}\t{hypothesis.text}" if scores else hypothesis.text)
            sys.stdout.flush()
    if truncated:
        print(f"{truncated} line(s) were cut: they have more subwords than the export allows.", file=sys.stderr)


def _named_on_command_line(context: typer.Context) -> dict[str, str]:
    """The parameters that were given, and what the user calls them."""
    return {
        parameter.name: parameter.opts[0] if parameter.opts[0].startswith("-") else parameter.name.upper()
        for parameter in context.command.params
        if parameter.name is not None
        and getattr(context.get_parameter_source(parameter.name), "name", "") == "COMMANDLINE"
    }


def _warn_truncated(number: int, translator: Any) -> None:
    if number:
        longest = translator.length_buckets[-1]
        print(f"{number} line(s) of {longest} subwords or more were cut.", file=sys.stderr)


def _chunks(lines: Iterable[str]) -> Iterator[list[str]]:
    """Many lines at once, because similar lengths are translated together; not all, because the first are awaited."""
    remaining = iter(lines)
    while chunk := list(itertools.islice(remaining, LINES_AT_ONCE)):
        yield chunk


def _standard_input() -> Iterable[str]:
    for number, line in enumerate(sys.stdin.buffer, 1):
        try:
            yield line.rstrip(b"\r\n").decode("utf-8")
        except UnicodeDecodeError as error:
            raise UserError(f"Standard input, line {number}, is no UTF-8. Received: {error}") from None


def _write_line(text: str) -> None:
    sys.stdout.buffer.write(text.encode("utf-8") + b"\n")


def given(**options: Any) -> dict[str, Any]:
    """The options that were given; where they are silent, defaults elsewhere count."""
    return {name: value for name, value in options.items() if value is not None}


def setting(text: str) -> tuple[str, Any]:
    """`name=value`, the value JSON or else a plain word."""
    name, equals, value = text.partition("=")
    if not equals:
        raise UserError(f"--set takes NAME=VALUE. Received: {text}")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _what_and_where(error: Exception) -> str | None:
    """What to tell of an error that a user can cause; None of any other."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}. Received: {error.filename or 'no name of a file, as of standard output'}"
    if isinstance(error, (UserError, OSError)):
        return str(error)
    if type(error).__name__ == "ResourceExhaustedError":  # of TensorFlow, which may not be there yet
        return exhausted(error, "make batches, beam or model smaller")
    if hasattr(error, "format_message"):  # typer's usage errors, whose class it does not make public
        return str(error.format_message())
    return None
