"""Training: the trainer and its parts, the loss, learning-rate schedules, optimizers, strategies and checkpoints."""

from keras_nmt.training.average_checkpoints import average_checkpoints
from keras_nmt.training.checkpoints import Checkpoints, Saving
from keras_nmt.training.evaluation import Evaluation
from keras_nmt.training.label_smoothed_cross_entropy import LabelSmoothedCrossEntropy, TokenLoss
from keras_nmt.training.make_optimizer import make_optimizer
from keras_nmt.training.make_strategy import make_strategy
from keras_nmt.training.role_temperature import RoleTemperature
from keras_nmt.training.schedules import InverseSquareRootSchedule, NoamSchedule
from keras_nmt.training.stopping import Budget
from keras_nmt.training.task import Batches, Task
from keras_nmt.training.task_schedule import TaskSchedule
from keras_nmt.training.trainer import Trainer, TrainingResult
from keras_nmt.training.training_log import Logging, TrainingLog
from keras_nmt.training.update import Computation
from keras_nmt.training.warm_start import Start, warm_start

__all__ = [
    "Batches",
    "Budget",
    "Checkpoints",
    "Computation",
    "Evaluation",
    "InverseSquareRootSchedule",
    "LabelSmoothedCrossEntropy",
    "Logging",
    "NoamSchedule",
    "RoleTemperature",
    "Saving",
    "Start",
    "Task",
    "TaskSchedule",
    "TokenLoss",
    "Trainer",
    "TrainingLog",
    "TrainingResult",
    "average_checkpoints",
    "make_optimizer",
    "make_strategy",
    "warm_start",
]
