# An image that serves one exported model with TensorFlow Serving, REST on port 8501 and gRPC on port 8500. The model is a folder
# of versions, as `keras-nmt export runs/mine savedmodels/mine` writes. From the root of the repository:
#
#     docker build --file docker/serve.Dockerfile --build-arg MODEL=mine --tag mine-server .
#     docker run --rm --publish 8500:8500 --publish 8501:8501 mine-server
#
# `--build-arg SERVING=TAG` takes another version of the server. An argument of `docker run`, such as --xla_cpu_compilation_enabled=true, goes to the server.
ARG SERVING=2.20.0
FROM tensorflow/serving:${SERVING}

ARG MODEL
COPY savedmodels/${MODEL} /models/${MODEL}
ENV MODEL_NAME=${MODEL}
EXPOSE 8500 8501
