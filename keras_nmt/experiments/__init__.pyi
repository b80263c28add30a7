from ._dry_run import dry_run
from .comparison import Comparison, compare
from .config import ExperimentConfig
from .distillation import Distillation, PairFilter
from .recipe import Recipe
from .run_experiment import run

__all__ = ["Comparison", "Distillation", "ExperimentConfig", "PairFilter", "Recipe", "compare", "dry_run", "run"]
