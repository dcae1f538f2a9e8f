"""Logistic regression with a ridge penalty; size is samples x features."""

import numpy as np

ARGNUMS = 0, 1
SIZES = ("569x30",)


def f(weights, bias, features, labels):
    logits = features @ weights + bias
    return np.mean(np.logaddexp(0.0, logits) - labels * logits) + 1e-3 * np.sum(weights**2)


def make(size, seed):
    samples, count = map(int, size.split("x"))
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((samples, count))
    labels = (features @ rng.standard_normal(count) > 0.0).astype(float)
    return 0.1 * rng.standard_normal(count), 0.1, features, labels
