"""Rule files as text: read, parse, and refuse what is no rule file at all."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from sushibalance.rules.problems import Problem, RulesError, nearest, plain, shown

MAX_BYTES = 1_000_000
MAX_DEPTH = 12
LONG = 2**63
DIGITS = "whole numbers of at most 18 digits"
LISTED = 1_000  # so many files of a folder are looked at for a name that was perhaps meant
VALUE = 'a number, true, false, a text in "quotes", or a [list]'
# What a file may hold where tomllib finds something else, by the beginning of what it says.
WORDS = {
    "Expected ']' at the end of a table declaration": "the name of a table in brackets, as [hands.flush]",
    "Expected newline or end of document": "nothing after a value in its line but a comment, which begins with #",
    "Expected '='": "KEY = VALUE, or the name of a table in brackets",
    "Invalid value": VALUE,
    "Invalid statement": "KEY = VALUE, or the name of a table in brackets",
    "Illegal character '\\n'": 'a text that ends with " in its own line',
    "Illegal character": "letters that can be seen",
    "Cannot overwrite": "each key once in a table",
    "Cannot declare": "each table once",
    "Unterminated string": 'a text between one " and another',
    "Unclosed array": "a list that ends with ]",
}


def read_toml(path: Path) -> dict[str, Any]:
    """Return the tables of one TOML file.

    Raises
    ------
    RulesError
        When the file is missing, unreadable, over 1 MB, not UTF-8, not TOML or nested too deep.
    """
    label = str(path)
    text = ""
    if "\0" in label:
        raise RulesError([Problem(plain_text(label), "", "not a name that a file can have", "a rule file (.toml)")])
    try:
        size = path.stat().st_size
        if not path.is_file():
            found = "a folder" if path.is_dir() else "not a file"
            raise RulesError([Problem(label, "", found, "a rule file (.toml)")])
        if size > MAX_BYTES:
            raise RulesError([Problem(label, "", f"{size:,} bytes", f"at most {MAX_BYTES:,} bytes")])
        text = path.read_text(encoding="utf-8-sig")  # editors on Windows put a mark in front
        tables = tomllib.loads(text)
    except FileNotFoundError:
        near = like(path.name, path.parent)
        hint = f"; did you mean {plain_text(near)}?" if near else ""
        raise RulesError([Problem(label, "", "no such file", f"an existing rule file (.toml){hint}")]) from None
    except OSError as error:
        raise RulesError([Problem(label, "", error.strerror or str(error), "a readable file")]) from None
    except UnicodeDecodeError:
        raise RulesError([Problem(label, "", "bytes that are not UTF-8", "UTF-8 text")]) from None
    except RecursionError:
        raise RulesError([Problem(label, "", "tables nested too deep", f"at most {MAX_DEPTH} levels")]) from None
    except RulesError:
        raise
    except ValueError as error:  # TOMLDecodeError, and what tomllib lets through: numbers of thousands of digits
        if str(error).startswith("Exceeds the limit"):
            raise RulesError([Problem(label, "", "a number of thousands of digits", DIGITS)]) from None
        found = plain_text(str(error)) + _line_of(str(error), text)
        allowed = next((words for start, words in WORDS.items() if str(error).startswith(start)), "TOML")
        raise RulesError([Problem(label, "", found, f"{allowed}; see docs/rule-files.md")]) from None
    check_values(tables, label)
    return tables


def like(name: str, folder: Path) -> str | None:
    """Return the rule file of a folder whose name is most like a name, or None."""
    return nearest(name, (path.name for path in islice(folder.glob("*.toml"), LISTED)))


def _line_of(message: str, text: str) -> str:
    """Return the line that an error of tomllib speaks of, to be shown with it."""
    number = re.search(r"at line (\d+)", message)
    lines = text.splitlines()
    if not number or int(number[1]) > len(lines):
        return ""
    return f"\n           {plain_text(lines[int(number[1]) - 1].strip())}"


def plain_text(text: str, width: int = 100) -> str:
    """Return a text without control characters, cut to ``width``."""
    text = "".join(letter if letter.isprintable() else "?" for letter in text[: width + 1])
    return text if len(text) <= width else text[: width - 3] + "..."


def check_values(values: Any, label: str, at: str = "") -> None:
    """Refuse tables and lists nested too deep, whole numbers of over 64 bits, and text that no file can hold.

    Walks without recursion, so that whatever follows may recurse.
    """
    waiting = [(values, at, 0)]
    while waiting:
        value, path, depth = waiting.pop()
        if isinstance(value, Mapping | list):
            if depth > MAX_DEPTH:
                raise RulesError([Problem(label, path[:80], "tables nested too deep", f"at most {MAX_DEPTH} levels")])
            items = value.items() if isinstance(value, Mapping) else enumerate(value)
            waiting += [(item, f"{path}.{plain(key)}".lstrip("."), depth + 1) for key, item in items]
        elif isinstance(value, int) and not -LONG <= value < LONG:
            raise RulesError([Problem(label, path, shown(value), DIGITS)])
        elif isinstance(value, str) and not value.isprintable():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise RulesError([Problem(label, path, shown(value), "text of UTF-8")]) from None
