"""The trainer and its parts: losses, optimizers, learning-rate schedules, checkpoints and distribution."""

from keras_nmt.files.training_log import TrainingLog
from keras_nmt.training.callbacks import RoleTemperature
from keras_nmt.training.checkpoints import Checkpoints, Saving
from keras_nmt.training.distribution import make_strategy
from keras_nmt.training.evaluation import Evaluation
from keras_nmt.training.extend_vocabulary import extend_vocabulary
from keras_nmt.training.final_weights import average_checkpoints
from keras_nmt.training.initial_weights import WarmStart, warm_start
from keras_nmt.training.loss import LabelSmoothedCrossEntropy, TokenLoss, WordDistillation
from keras_nmt.training.optimizers import InverseSquareRootSchedule, NoamSchedule, make_optimizer
from keras_nmt.training.stopping import StopCriteria
from keras_nmt.training.tasks import Batches, Task, TaskSchedule
from keras_nmt.training.trainer import Trainer, TrainingResult
from keras_nmt.training.training_log import Logging
from keras_nmt.training.update import UpdateConfig

__all__ = [
    "Batches",
    "Checkpoints",
    "Evaluation",
    "InverseSquareRootSchedule",
    "LabelSmoothedCrossEntropy",
    "Logging",
    "NoamSchedule",
    "RoleTemperature",
    "Saving",
    "StopCriteria",
    "Task",
    "TaskSchedule",
    "TokenLoss",
    "Trainer",
    "TrainingLog",
    "TrainingResult",
    "UpdateConfig",
    "WarmStart",
    "WordDistillation",
    "average_checkpoints",
    "extend_vocabulary",
    "make_optimizer",
    "make_strategy",
    "warm_start",
]
