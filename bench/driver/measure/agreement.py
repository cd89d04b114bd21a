# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""Decides whether two JVMs computed the same result.

A parallel program that adds floating-point numbers in the order in which tasks finish does not reproduce the last bits.
So results count as equal if they agree to as many significant digits as the reference's own runs agree with each other.
"""
import itertools
import math

ALL_DIGITS = 17
# The digits on which results must agree if their tasks end in another order.
REORDERED_DIGITS = 12


def flatten(value, name=""):
    """Yields every number, text and truth value of a JSON value with its path."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from flatten(inner, f"{name}.{key}" if name else key)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from flatten(inner, f"{name}[{index}]")
    else:
        yield name, value


def digits(a, b):
    """Returns the number of significant digits on which two values agree. Different values that are not floating-point have 0."""
    if a == b:
        return ALL_DIGITS
    if not (isinstance(a, float) and isinstance(b, float)) or math.isnan(a) or math.isnan(b):
        return 0
    return max(0, min(ALL_DIGITS, math.floor(-math.log10(abs(a - b) / max(abs(a), abs(b))))))


def repeated(references):
    """Returns the number of digits on which the runs of a program agree in their least certain floating-point number."""
    flat = [dict(flatten(result)) for result in references]
    least = ALL_DIGITS
    for name, value in flat[0].items():
        if isinstance(value, float):
            least = min([least] + [digits(a.get(name), b.get(name)) for a, b in itertools.combinations(flat, 2)])
    return least


def compare(references, others, at_most=ALL_DIGITS):
    """Compares results with those of the reference. Returns (digits on which the reference's runs agree, differences).

    Floating-point numbers must agree to these digits with a run of the reference, and everything else must be equal. A
    checksum that differs between the reference's own runs is ignored. A difference is a line of text. `at_most` limits
    the digits, for references that are too few to measure their agreement.
    """
    expected = min(at_most, repeated(references))
    known = [dict(flatten(result)) for result in references]
    differences = []
    for result in (dict(flatten(other)) for other in others):
        for name, value in result.items():
            values = [reference.get(name) for reference in known]
            if isinstance(value, float):
                agrees = max(digits(value, reference) for reference in values) >= expected
            else:
                agrees = value in values or len(set(values)) > 1
            if not agrees:
                differences.append(f"{name} is {value!r} instead of {values[0]!r}")
        differences += [f"{name} is missing" for name in known[0].keys() - result.keys()]
    return expected, differences
