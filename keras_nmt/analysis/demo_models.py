"""The models of the demo page: each translates and shows what happens in it."""

from __future__ import annotations

import dataclasses
import html
from collections.abc import Mapping

from keras_nmt.analysis.model_trace import look_inside
from keras_nmt.errors import UserError
from keras_nmt.inference import Translator


@dataclasses.dataclass(frozen=True)
class DemoSystem:
    """A model in one direction.

    Args:
        name: String, the name of model and direction, which the page lists and links contain.
        translator: `Translator`, whose options decide on the search.
        source_language, target_language: Strings, the direction; None for a model of one direction.
        max_characters: Integer, the largest number of characters of a text, and of a forced beginning.
    """

    name: str
    translator: Translator
    source_language: str | None
    target_language: str | None
    max_characters: int

    def show(self, text: str, prefix: str) -> str:
        """Returns the translations and the insides of the model as HTML, or the error of the user.

        The limit holds for requests that do not come from the page, too.
        """
        heading = f"<h2>{html.escape(self.name)}</h2>"
        try:
            longest = max(len(text), len(prefix))
            if longest > self.max_characters:
                raise UserError(f"At most {self.max_characters:,} characters. Received: {longest:,} characters")
            languages = {"source_language": self.source_language, "target_language": self.target_language}
            return heading + look_inside(self.translator, text, prefix=prefix, **languages).to_html()
        except UserError as error:
            return f'{heading}<p role="alert">{html.escape(str(error))}</p>'


def demo_systems(translators: Mapping[str, Translator], max_characters: int) -> dict[str, DemoSystem]:
    """Returns the models with each of their directions, by name.

    Args:
        translators: Mapping from names of models to translators.
        max_characters: Integer, see `DemoSystem`.

    Returns:
        Dictionary from names, such as "many, de to fr", to `DemoSystem`; a model of one direction has its own name.
    """
    systems = []
    for name, translator in translators.items():
        if len(translator.directions) == 1:
            systems.append(DemoSystem(name, translator, None, None, max_characters))
        else:
            systems += [
                DemoSystem(f"{name}, {source} to {target}", translator, source, target, max_characters)
                for source, target in translator.directions
            ]
    return {system.name: system for system in systems}
