"""The commands that look inside trained models: `inspect`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from keras_nmt.cli import inspection_of_states, inspection_of_vectors
from keras_nmt.cli.lines import input_lines
from keras_nmt.cli.options import Directory, Import, Weights, check_models
from keras_nmt.cli.run_app import import_tensorflow, make_app
from keras_nmt.errors import UserError

inspect_app = make_app("Looks inside a trained model.")
for name, command in {**inspection_of_states.COMMANDS, **inspection_of_vectors.COMMANDS}.items():
    inspect_app.command(name)(command)


@inspect_app.command("bridge")
def inspect_bridge(
    directory: Directory,
    language: Annotated[str, typer.Option(help="Language of the sentences.")],
    first: Annotated[
        int | None,
        typer.Option(min=0, help="How many heads are the first ones. Default: each sentence's number of tokens."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="Folder for entropy.json, entropy.png, attention.jsonl and attention-LINE.png.")
    ] = None,
    heat_maps: Annotated[int, typer.Option(min=0, help="Sentences whose attention is written to --output.")] = 10,
    weights: Weights = None,
    import_: Import = None,
) -> None:
    """Shows how widely the heads of the attention bridge look at the sentences of standard input.

    Numbers are mean entropies in nats: 0 is one token, log n all of n tokens alike. Empty lines are left out.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table

    check_models(directory)
    import_tensorflow(import_)
    from keras_nmt.analysis import bridge_attention, bridge_entropy, plot_bridge_attention, plot_bridge_entropy
    from keras_nmt.analysis._figures import save_figure
    from keras_nmt.files.atomic_files import write_bytes, write_json
    from keras_nmt.inference.load import load

    model, tokenizers, _ = load(directory, weights=weights)
    if language not in tokenizers:
        raise UserError(f"The model has the languages {', '.join(tokenizers)}. Received: --language {language}")
    lines = {number: line for number, line in enumerate(input_lines(), 1) if line.strip()}
    if not lines:
        raise UserError("There are no sentences on standard input. Received: no lines, or empty ones")
    attentions = bridge_attention(model, tokenizers[language], language, list(lines.values()))
    entropy = bridge_entropy(attentions, num_first=first)
    numbers = entropy.numbers()

    first_heads = f"first {'n' if first is None else first} heads"
    shown = {"all_heads": "all heads", "first_heads": first_heads, "other_heads": "other heads"}
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
