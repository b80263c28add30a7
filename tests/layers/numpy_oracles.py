"""Softmax, sigmoid and LSTM in NumPy, for one sentence at a time."""

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    exponential = np.exp(x - x.max(-1, keepdims=True))
    return exponential / exponential.sum(-1, keepdims=True)


def lstm_position(x, hidden, carry, kernel, recurrent_kernel, bias):
    """h and c after one position of Hochreiter and Schmidhuber's LSTM, gates in the order i, f, c, o."""
    i, f, c, o = np.split(x @ kernel + hidden @ recurrent_kernel + bias, 4)
    carry = sigmoid(f) * carry + sigmoid(i) * np.tanh(c)
    return sigmoid(o) * np.tanh(carry), carry


def lstm(inputs, *weights):
    """The states over one sentence `[T, d]`, and c after the sentence."""
    hidden = carry = np.zeros(weights[1].shape[0])
    states = []
    for x in inputs:
        hidden, carry = lstm_position(x, hidden, carry, *weights)
        states.append(hidden)
    return np.array(states), carry
