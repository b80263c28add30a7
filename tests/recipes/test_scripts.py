"""Every script of the recipes: it can be imported and lists its options; a recipe makes all its experiments."""

import pytest
import typer
from scripts import RECIPES, ROOT, load_script
from typer.testing import CliRunner

from keras_nmt.cli.recipe_app import recipe_app

FILES = [*RECIPES.rglob("*.py"), *ROOT.glob("benchmarks/*.py")]
SCRIPTS = [path for path in FILES if 'if __name__ == "__main__"' in path.read_text(encoding="utf-8")]
WITHOUT_OPTIONS = ("benchmarks/peer_process.py", "quickstart_data/generate.py")


@pytest.mark.parametrize("path", sorted(str(path.relative_to(ROOT)).removeprefix("recipes/") for path in SCRIPTS))
def test_every_script_can_be_imported_and_lists_what_it_offers(path, tmp_path):
    script = load_script(path)
    if path in WITHOUT_OPTIONS:
        return
    recipe = getattr(script, "RECIPE", None)
    if recipe is not None:
        app = recipe_app(recipe)
    elif (app := getattr(script, "app", None)) is None:
        app = typer.Typer()
        app.command()(getattr(script, "main", None) or script.quickstart)
    shown = CliRunner().invoke(app, ["list" if recipe else "--help"])
    assert shown.exit_code == 0, shown.exception
    for name, configuration in recipe.configurations.items() if recipe else ():
        assert name in shown.output
        if "matched_to" not in configuration:  # whose width is searched for
            made = recipe.experiment(name, data_dir="data", seed=1, directory=tmp_path / f"{name}-1")
            assert not made.training.warnings(made.model.arguments.get("hidden_dim", 512))
