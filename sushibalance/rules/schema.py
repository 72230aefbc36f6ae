"""JSON Schemas made from the models, so that editors complete and check rule files.

One schema is for complete files and one for variants, which may leave out every key. A rule file names its schema
in a first line ``#:schema ...``, as Taplo and the Even Better TOML extension read it.
"""

from __future__ import annotations

import json
import re
from typing import Any

from sushibalance.rules.document import MAX_NAME, MAX_TEXT, SOURCES
from sushibalance.rules.model import Rules

Node = dict[str, Any]

SOURCE: Node = {
    "description": "Where the values of this table and its inner tables come from; "
    'or a table from key to source, with "*" for the rest.',
    "anyOf": [
        {"enum": list(SOURCES)},
        {"type": "object", "additionalProperties": {"enum": list(SOURCES)}},
    ],
}
NOTE: Node = {"type": "string", "maxLength": MAX_TEXT, "description": "A remark that is shown beside the values."}
NAME: Node = {"type": "string", "minLength": 1, "maxLength": MAX_NAME}


def schema(model: type[Rules], *, variant: bool) -> Node:
    """Return the JSON Schema (draft 7, which editors read) of the rule files of a game.

    Parameters
    ----------
    model : type
        The game's `Rules`.
    variant : bool
        For files that extend another: no key is required, and ``extends`` is.
    """
    source = model.model_json_schema()
    writer = _Writer(source["$defs"], variant)
    root = writer.table(source)
    header = {
        "game": {"const": model.game, "description": "The game that these rules are for."},
        "name": NAME | {"description": "What reports call this rule set; the file's name if left out."},
        "description": {"type": "string", "maxLength": MAX_TEXT, "description": "One sentence about the rule set."},
    }
    if variant:
        header["extends"] = NAME | {"description": "The rule set that this file changes: its name, or a path."}
        header["remove"] = {
            "type": "array",
            "items": {"type": "string"},
            "description": "Dotted paths of entries to take out.",
        }
    kind = "A variant" if variant else "A complete rule set"
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        **root,
        "title": f"{kind} of {model.game}",
        "properties": {**header, **root["properties"]},
        "required": ["extends"] if variant else ["game", *root.get("required", ())],
        "$defs": writer.written,
    }


def texts(model: type[Rules]) -> dict[str, str]:
    """Return the text of a game's two schema files by file name."""
    return {
        f"{model.game}{kind}.schema.json": json.dumps(schema(model, variant=bool(kind)), indent=1) + "\n"
        for kind in ("", ".variant")
    }


class _Writer:
    """Rewrites pydantic's schema as rule files are written.

    Tables may hold ``source`` and ``note``, but not within lists, which are one value each. So a
    definition is written once for its use as a table and once (``..._in_list``) inside lists.
    """

    def __init__(self, definitions: Node, variant: bool):
        self.definitions = definitions
        self.variant = variant
        self.written: Node = {"source": SOURCE, "note": NOTE}

    def table(self, node: Node) -> Node:
        """Return an object node with the reserved keys."""
        return self._node(node, inside_list=False)

    def _node(self, node: Node, inside_list: bool) -> Node:
        if "$ref" in node:
            return {**self._about(node), "$ref": self._reference(node["$ref"], inside_list)}
        kinds = [self._node(kind, inside_list) for kind in node.get("anyOf") or node.get("oneOf") or ()]
        kinds = [kind for kind in kinds if kind.get("type") != "null"]
        if kinds:
            return {**self._about(node), **(kinds[0] if len(kinds) == 1 else {"anyOf": kinds})}
        result = {key: value for key, value in node.items() if key not in ("title", "default", "$defs", "description")}
        result.update(self._about(node))
        if "items" in result:
            result["items"] = self._node(result["items"], inside_list=True)
        return self._object(result, inside_list) if node.get("type") == "object" else result

    def _object(self, result: Node, inside_list: bool) -> Node:
        about = _attributes(result.get("description", ""))
        if "description" in result:
            result["description"] = _summary(result["description"])
        properties = {
            key: {**({"description": about[key]} if key in about else {}), **self._node(value, inside_list)}
            for key, value in result.get("properties", {}).items()
        }
        if isinstance(result.get("additionalProperties"), dict):
            result["additionalProperties"] = self._node(result["additionalProperties"], inside_list)
        if "patternProperties" in result:
            result["patternProperties"] = {
                pattern if inside_list else _unreserved(pattern): self._node(value, inside_list)
                for pattern, value in result["patternProperties"].items()
            }
            result["additionalProperties"] = False
        if not inside_list:
            properties |= {"source": {"$ref": "#/$defs/source"}, "note": {"$ref": "#/$defs/note"}}
            if "maxProperties" in result:
                result["maxProperties"] += 2
            if self.variant:
                for key in ("required", "minProperties"):
                    result.pop(key, None)
        if properties:
            result["properties"] = properties
        return result

    def _reference(self, reference: str, inside_list: bool) -> str:
        name = reference.rpartition("/")[2]
        written = f"{name}_in_list" if inside_list else name
        if written not in self.written:
            self.written[written] = {}
            self.written[written] = self._node(self.definitions[name], inside_list)
        return f"#/$defs/{written}"

    @staticmethod
    def _about(node: Node) -> Node:
        return {"description": node["description"]} if "description" in node else {}


def _unreserved(pattern: str) -> str:
    """Return a pattern for names that leaves out the reserved keys."""
    return "^(?!(source|note)$)" + pattern.removeprefix("^")


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace("``", "")).strip()


def _summary(docstring: str) -> str:
    """Return a docstring without its sections."""
    return _plain(re.split(r"\n\s*\w+\n\s*-{3,}\n", docstring)[0])


def _attributes(docstring: str) -> dict[str, str]:
    """Return what the Attributes section of a numpy-style docstring says, by attribute."""
    parts = re.split(r"\n\s*Attributes\n\s*-{3,}\n", docstring)
    about: dict[str, str] = {}
    names: list[str] = []
    for line in parts[1].splitlines() if len(parts) == 2 else ():
        header = re.fullmatch(r"(\w+(?:, \w+)*) : .*", line)
        if header:
            names = header[1].split(", ")
        elif line.startswith(" "):
            about.update({name: _plain(f"{about.get(name, '')} {line}") for name in names})
    return about
