"""A trainer of a small model on a small task, for the tests of training."""

import pytest
from training_runs import batches_of, copies, make_copier, trainer_of

from keras_nmt.training import make_optimizer, make_strategy


@pytest.fixture(scope="session")
def batches():
    """Batches of 16 rows and of several lengths."""
    return batches_of(copies(), length_buckets=[4, 8, 13])


@pytest.fixture
def make_trainer(tmp_path, batches):
    """Makes a trainer of the small model, or of the model that `model` makes, in the folder `name`."""

    def adam():
        return make_optimizer("adam", 0.01, clip=0.5)

    def make(name="run", *, replicas=1, model=make_copier, optimizer=adam, data=batches, **options):
        strategy = make_strategy(replicas)
        with strategy.scope():
            options = {"max_updates": 10, "strategy": strategy, **options}
            return trainer_of(model(), data, tmp_path / name, optimizer=optimizer(), **options)

    return make
