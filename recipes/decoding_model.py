"""Makes the small models of docs/decoding.md: English to German, of sentences that are drawn from a few words.

    python recipes/decoding_model.py docs/decoding_model
    python recipes/decoding_model.py docs/decoding_model/other --seed 2 --hidden-dim 16

Houses and cars have two words in German, of different gender, and places may stand first, so that the model has
something to choose from. The subwords have no characters for some of the names. The second model is for the ensemble.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Annotated

import keras
import typer

from keras_nmt.cli.run_app import run_app
from keras_nmt.data import ParallelCorpus, SubwordTokenizer, TrainingBatches, train_subwords
from keras_nmt.models import ModelDirectory, Transformer
from keras_nmt.training import LabelSmoothedCrossEntropy, StopCriteria, Trainer

WHO = {
    "Nina": "Nina",
    "Tom": "Tom",
    "Ida": "Ida",
    "the woman": "die Frau",
    "the man": "der Mann",
    "my sister": "meine Schwester",
    "my brother": "mein Bruder",
}
UNKNOWN = ["Søren", "Zoë", "Åsa", "Łukasz", "Đoko", "Çetin", "Ñato", "Ýrsa"]
DOES = {"buys": "kauft", "sells": "verkauft", "paints": "malt", "sees": "sieht", "cleans": "putzt"}
# Nouns with their genders, the likelier ones more than once.
WHAT = {
    "house": [("Haus", "n"), ("Haus", "n"), ("Gebäude", "n")],
    "car": [("Auto", "n"), ("Auto", "n"), ("Wagen", "m")],
    "table": [("Tisch", "m")],
    "lamp": [("Lampe", "f")],
    "boat": [("Boot", "n"), ("Boot", "n"), ("Schiff", "n")],
    "door": [("Tür", "f")],
}
KINDS = {"old": "alt", "new": "neu", "red": "rot", "small": "klein", "long": "lang"}
ENDINGS = {"m": ("einen", "en"), "f": ("eine", "e"), "n": ("ein", "es")}
WHERE = {
    "near the river": "am Fluss",
    "in the city": "in der Stadt",
    "in the village": "im Dorf",
    "at the station": "am Bahnhof",
    "in the garden": "im Garten",
}
NUM_PAIRS = 6000
VOCABULARY_SIZE = 260


def draw_pair(rng: random.Random) -> tuple[str, str]:
    """Draws a sentence and its translation."""

    def thing() -> tuple[str, str]:
        what, kind = rng.choice(list(WHAT)), rng.choice(list(KINDS))
        noun, gender = rng.choice(WHAT[what])
        article, ending = ENDINGS[gender]
        return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind} {what}", f"{article} {KINDS[kind]}{ending} {noun}"

    who = rng.choice([*WHO, rng.choice(UNKNOWN)])
    of_who, does, where = WHO.get(who, who), rng.choice(list(DOES)), rng.choice(list(WHERE))
    things = [thing() for _ in range(rng.randint(1, 2))]
    source = f"{who} {does} {' and '.join(english for english, _ in things)} {where}."
    german = " und ".join(german for _, german in things)
    order = [of_who, DOES[does], german, WHERE[where]]
    if rng.random() < 0.2:  # the verb stays second
        order = [WHERE[where], DOES[does], of_who, german]
    target = f"{' '.join(order)}."
    return source[0].upper() + source[1:], target[0].upper() + target[1:]


def main(
    directory: Annotated[Path, typer.Argument(help="Model directory to make.")],
    seed: Annotated[int, typer.Option(help="Seed of the weights and of the batches.")] = 1,
    hidden_dim: Annotated[int, typer.Option(help="Width of the model.")] = 32,
    max_updates: Annotated[int, typer.Option(help="Updates of the training.")] = 2500,
) -> None:
    """Draws sentences, and trains subwords and a model."""
    rng = random.Random(1)
    pairs = [draw_pair(rng) for _ in range(NUM_PAIRS)]
    known = [text for pair in pairs if not any(name in pair[0] for name in UNKNOWN) for text in pair]
    keras.utils.set_random_seed(seed)
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text"
        text.write_text("".join(f"{line}\n" for line in known), encoding="utf-8")
        subwords = train_subwords(
            text,
            Path(folder) / "subwords.model",
            vocabulary_size=VOCABULARY_SIZE,
            normalization="identity",
            source_cleaning=False,
        )
        tokenizer = SubwordTokenizer(subwords)
        model = Transformer(
            source_vocabulary_size=VOCABULARY_SIZE,
            num_encoder_layers=1,
            num_decoder_layers=1,
            hidden_dim=hidden_dim,
            num_heads=2,
            intermediate_dim=2 * hidden_dim,
            dropout=0.0,
            tie_embeddings=True,
        )
        corpus = ParallelCorpus.from_lists(
            *(tokenizer.tokenize(list(side)).to_list() for side in zip(*pairs, strict=True))
        )
        batches = TrainingBatches(corpus, batch_size=64, batch_unit="sentences", seed=seed)
        schedule = keras.optimizers.schedules.CosineDecay(0.005, max_updates)
        trainer = Trainer(
            model,
            batches,
            Path(folder) / "run",
            optimizer=keras.optimizers.Adam(schedule, beta_2=0.98),
            loss=LabelSmoothedCrossEntropy(0.0),
            stop_criteria=StopCriteria(max_updates=max_updates),
        )
        trainer.train()
        made = ModelDirectory(directory)
        tokenizer.save(made.path / subwords.name)
    made.save_config(model, subwords=dict.fromkeys(("source", "target"), subwords.name), search={"beam_size": 4})
    made.save_weights(model)


if __name__ == "__main__":
    run_app(main)
