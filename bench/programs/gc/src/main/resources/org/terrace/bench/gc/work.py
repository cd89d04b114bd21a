# SPDX-License-Identifier: GPL-2.0 WITH Classpath-exception-2.0
"""The program that Jython runs. `work(part)` creates objects of many kinds and returns a checksum."""
import json
import re


class Numbers(object):
    """Pseudo-random numbers that are the same on every platform."""

    def __init__(self, seed):
        self.state = seed * 2654435761 % 2147483647 + 1

    def below(self, limit):
        self.state = self.state * 48271 % 2147483647
        return self.state % limit


class Tree(object):
    def __init__(self, key):
        self.key, self.left, self.right, self.seen = key, None, None, [key]

    def insert(self, key):
        node = self
        while True:
            if key == node.key:
                node.seen.append(key)
                return
            side = 'left' if key < node.key else 'right'
            child = getattr(node, side)
            if child is None:
                setattr(node, side, Tree(key))
                return
            node = child

    def walk(self):
        pending, node = [], self
        while pending or node:
            while node:
                pending.append(node)
                node = node.left
            node = pending.pop()
            yield node
            node = node.right


def tree(numbers):
    root = Tree(numbers.below(100000))
    for _ in range(4000):
        root.insert(numbers.below(100000))
    return sum(position * node.key * len(node.seen) for position, node in enumerate(root.walk())) % 1000003


def words(numbers):
    text = ' '.join('w%dx%d' % (numbers.below(300), numbers.below(10)) for _ in range(3000))
    counts = {}
    for match in re.finditer(r'w(\d+)x(\d)', text):
        name, weight = match.groups()
        counts.setdefault(name, []).append(int(weight))
    ordered = sorted((len(found), sum(found), name) for name, found in counts.items())
    return sum(position * number * total for position, (number, total, _) in enumerate(ordered)) % 1000003


def documents(numbers):
    records = [{'id': number, 'tags': ['t%d' % numbers.below(50) for _ in range(5)],
                'place': {'x': numbers.below(1000), 'y': numbers.below(1000)}} for number in range(400)]
    again = json.loads(json.dumps(records, sort_keys=True))
    assert again == records
    by_tag = {}
    for record in again:
        for tag in record['tags']:
            by_tag.setdefault(tag, set()).add(record['id'])
    return sum(len(ids) * max(ids) for ids in by_tag.values()) % 1000003


def work(part):
    numbers = Numbers(part + 1)
    return tree(numbers) + words(numbers) + documents(numbers)
