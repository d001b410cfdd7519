"""Signals from likelihoods: negative log-likelihood and reference gain, one number a token."""

from ragcortex.readers.reading import Floats


def negative_log_likelihood(log_prob: Floats) -> Floats:
    """Return −log p(t_i | …) in nats, float32 (n,), at least 0; higher = more surprising."""
    return -log_prob


def reference_gain(log_prob_ref: Floats, log_prob_noref: Floats) -> Floats:
    """Return log p(t_i | x_noref) − log p(t_i | x_ref) in nats, float32 (n,).

    Positive where the references make the token less likely; strongly negative where they support it. It is the log
    of a likelihood ratio, so its logistic function is the probability of «written without the references» at even
    prior odds, and label persistence can use it as an emission.
    """
    return log_prob_noref - log_prob_ref
