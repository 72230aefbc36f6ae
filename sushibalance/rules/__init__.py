"""Rules as data: rule files, variants, provenance, and errors a designer can act on."""

from sushibalance.rules.document import SOURCES, Document
from sushibalance.rules.model import Part, Rules, Value
from sushibalance.rules.problems import Problem, RulesError

__all__ = ["SOURCES", "Document", "Part", "Problem", "Rules", "RulesError", "Value"]
