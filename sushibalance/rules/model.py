"""The checked model of a rule set: the base of every game's ``rules.py``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, PrivateAttr, ValidationError

from sushibalance.rules.blame import blamed
from sushibalance.rules.document import Document, leaves, varied
from sushibalance.rules.explain import explain
from sushibalance.rules.problems import Problem, RulesError, shown

if TYPE_CHECKING:
    import pandas as pd


class Part(BaseModel):
    """A table of a rule file: unknown keys and values of another type are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


@dataclass(frozen=True)
class Value:
    """One value of a rule set with its provenance.

    Attributes
    ----------
    key : str
        Dotted path, as `Rules.vary` takes it.
    value : object
        The value.
    source : str
        ``rulebook``, ``example``, ``public``, ``assumed`` or ``variant``.
    note : str
        What the rule file that set it says about it, possibly empty.
    """

    key: str
    value: Any
    source: str
    note: str


class Rules(Part):
    """A complete, possible rule set. Immutable; `vary` returns another one.

    Subclasses add the fields of their game and may override `impossible`.
    """

    game: ClassVar[str]
    _document: Document = PrivateAttr()

    @classmethod
    def from_document(cls, document: Document, below: Sequence[Document] = ()) -> Self:
        """Return the checked rules of a document.

        Parameters
        ----------
        document : Document
            The values.
        below : sequence of Document
            What it was made from, the complete rule set first: a fault is told at the change that brought it.

        Raises
        ------
        RulesError
            With every fault found: unknown keys, wrong values, rules that cannot be played.
        """
        if document.game != cls.game:
            found = shown(document.game)
            raise RulesError([Problem(document.name, "game", found, f'"{cls.game}"')])
        rules, problems = cls._checked(document)
        if rules is None:
            raise RulesError(blamed(problems, [*below, document], lambda trial: cls._checked(trial)[1]))
        rules._document = document
        return rules

    @classmethod
    def _checked(cls, document: Document) -> tuple[Self | None, list[Problem]]:
        """Return the rules of a document, or None and what is wrong with it."""
        try:
            rules = cls.model_validate(document.values)
        except ValidationError as error:
            return None, explain(error, cls, document)
        faults = [
            Problem(document.file_of(key), key, shown(found), allowed) for key, found, allowed in rules.impossible()
        ]
        return (None if faults else rules), faults

    def impossible(self) -> Iterable[tuple[str, object, str]]:
        """Yield (key, found, allowed) for each rule that no table could play."""
        return ()

    @property
    def name(self) -> str:
        """The rule set's name."""
        return self._document.name

    @property
    def description(self) -> str:
        """One sentence about the rule set, possibly empty."""
        return self._document.description

    @property
    def document(self) -> Document:
        """The values with their sources and files, as read."""
        return self._document

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the values (names, notes and sources left out): equal rules, equal fingerprint."""
        text = json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(f"{self.game}:{text}".encode()).hexdigest()

    def vary(self, changes: Mapping[str, Any], *, name: str | None = None, label: str | None = None) -> Self:
        """Return these rules with some values changed.

        Parameters
        ----------
        changes : mapping
            From dotted path to the new value: ``{"hands.flush.score": 8}``. A table adds an entry
            or replaces a whole one; None removes one.
        name : str, optional
            Name of the new rule set.
        label : str, optional
            What errors call these changes; ``vary(<name>)`` when left out.

        Raises
        ------
        RulesError
            For a path or a value that the game does not know.
        """
        return type(self).from_document(varied(self._document, changes, name, label), [self._document])

    def values(self) -> list[Value]:
        """Return every value with its provenance, in the order of the file."""
        document = self._document
        return [
            Value(key, value, document.sources[key], document.notes.get(key, ""))
            for key, value in leaves(document.values)
        ]

    def assumed(self) -> list[Value]:
        """Return the values that no printed rule gives: the first thing to vary."""
        return [value for value in self.values() if value.source == "assumed"]

    def differences(self, base: Rules) -> list[tuple[str, Any, Any]]:
        """Return (key, value in ``base``, value here) wherever the two differ (None: absent)."""
        here, there = dict(leaves(self._document.values)), dict(leaves(base._document.values))
        keys = [*there, *(key for key in here if key not in there)]
        return [(key, there.get(key), here.get(key)) for key in keys if there.get(key) != here.get(key)]

    def to_frame(self) -> pd.DataFrame:
        """Return `values` as a frame with the columns key, value, source, note."""
        import pandas as pd

        rows = [(value.key, shown(value.value), value.source, value.note) for value in self.values()]
        return pd.DataFrame(rows, columns=["key", "value", "source", "note"])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r} {self.fingerprint[:8]}>"

    def __str__(self) -> str:
        return repr(self)
