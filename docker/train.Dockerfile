# An image that trains, translates and exports, on NVIDIA GPUs or on CPUs. From the root of the repository:
#
#     docker build --file docker/train.Dockerfile --tag keras-nmt .
#     mkdir -p runs
#     docker run --rm --gpus all --user "$(id -u):$(id -g)" --volume "$PWD/runs:/home/user/runs" keras-nmt quickstart
#
# `--build-arg EXTRAS=serving` leaves CUDA out.
FROM python:3.12-slim

ARG EXTRAS=gpu,serving
WORKDIR /package
COPY setup.cfg pyproject.toml README.md LICENSE ./
COPY keras_nmt keras_nmt
# The package itself has no version to pin.
# hadolint ignore=DL3013
RUN pip install --no-cache-dir ".[${EXTRAS}]" && useradd --create-home --uid 1000 user

USER 1000
WORKDIR /home/user
ENTRYPOINT ["keras-nmt"]
CMD ["--help"]
