"""Models that cannot be imported."""

import pytest

from keras_nmt.errors import UserError
from keras_nmt.formats import import_model

collect_ignore_glob = ["*_oracle.py"]  # programs of environments that have other toolkits


@pytest.fixture
def refused(tmp_path):
    """Checks that a model is refused by an error of one line, and nothing is written."""

    def check(path, told):
        with pytest.raises(UserError, match=told) as caught:
            import_model(path, tmp_path / "refused")
        assert "\n" not in str(caught.value)
        assert not (tmp_path / "refused").exists()

    return check
