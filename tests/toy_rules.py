"""A small game's rules, files of them, and what is said of bad ones: for the tests of rule files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import Field, StringConstraints

from sushibalance.rules import Document, Part, Rules, RulesError
from sushibalance.rules.document import leaves, load_documents
from sushibalance.rules.problems import Problem

Count = Annotated[int, Field(ge=0, le=9)]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z]{1,9}$")]


class Hand(Part):
    score: Count
    kind: Literal["flush", "straight"] = "flush"
    cards: Annotated[list[Count], Field(max_length=3)] | Literal["any"] = "any"


class Coin(Part):
    type: Literal["coin"]
    score: Count


class Draw(Part):
    type: Literal["draw"]
    cards: Count


class ToyRules(Rules):
    game = "toy"
    rounds: Count
    share: Annotated[float, Field(ge=0, le=1)] = 0.5
    open: bool = True
    hands: Annotated[dict[Name, Hand], Field(max_length=4)]
    cards: dict[str, Annotated[Coin | Draw, Field(discriminator="type")]] = Field(default_factory=dict)

    def impossible(self):
        if self.rounds > 5 and "flush" not in self.hands:
            yield "rounds", self.rounds, "at most 5 without a flush"


BASE = """
game = "toy"
source = "rulebook"
rounds = 4
[hands.flush]
score = 7
[hands.pair]
source = { "*" = "assumed", kind = "public" }
note = "nobody printed it"
score = 1
kind = "straight"
[cards.1]
type = "coin"
score = 2
"""


def find(name: str, folder: Path) -> Path:
    return folder / name


def load(path: Path) -> ToyRules:
    *below, document = load_documents(path, find)
    return ToyRules.from_document(document, below)


def refused(path: Path) -> tuple[Problem, ...]:
    with pytest.raises(RulesError) as caught:
        load(path)
    for problem in caught.value.problems:
        assert problem.file and problem.allowed
    return caught.value.problems


def only(path: Path) -> tuple[str, str, str]:
    (problem,) = refused(path)
    assert problem.file == str(path)
    return problem.key, problem.found, problem.allowed


def toy() -> ToyRules:
    values = {"rounds": 4, "hands": {"flush": {"score": 7}, "pair": {"score": 1}}}
    sources = {key: "rulebook" for key, _ in leaves(values)}
    return ToyRules.from_document(Document("toy", "toy", values=values, sources=sources))
