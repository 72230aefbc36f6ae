"""Compiled code optimised as one whole with what it calls, as a C compiler takes a file.

numba optimises every function as soon as it is compiled, together with all that it calls, and makes machine code of it:
what lies five calls deep is optimised and made five times, each time without what its caller knows. Here, what compiled
code calls is only linked into it (`PartCode`); what Python calls, or the engine by address, is optimised once, with
everything in it (`WholeCode`). Otter's engine and its `greedy` players take 34 CPU seconds to compile so, not 51.

This hooks into numba below its public names: its code libraries, dispatchers and cache. tests/test_core_whole.py
shows what is relied on.
"""

from __future__ import annotations

import pickle
from contextlib import suppress
from hashlib import sha256
from types import FunctionType
from typing import ClassVar

from llvmlite.binding import (
    PipelineTuningOptions,
    create_new_module_pass_manager,
    create_pass_builder,
    parse_assembly,
    parse_bitcode,
)
from numba import types
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import ForceLiteralArg, TypingError
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature

MANGLED = "_ZN"  # how numba begins the name of what was a Python function
UNRESOLVED = ".numba.unresolved$"  # and of the address of one that calls it through others, looked up by name


class Code(JITCodeLibrary):
    """Code of a function with all that it calls, also by name.

    Where functions call themselves, or each other in a circle, numba looks an address up by name when the code runs. Of
    what is compiled as a part nothing has an address: it is put into the code like whatever else is called. That may be
    the same function for other arguments, as where it takes a default at first and passes a value to itself.

    Attributes
    ----------
    by_name : set of str
        The functions whose addresses are looked up when the code runs.
    """

    by_name: set[str]
    parts: ClassVar[dict[str, PartCode]] = {}  # all that are compiled, by the names of their functions

    def __init__(self, codegen, name):
        super().__init__(codegen, name)
        self.by_name = set()
        self._begun = False

    def add_ir_module(self, ir_module):
        """Add the code of a function."""
        super().add_ir_module(ir_module)
        names = (value.name for value in ir_module.global_values)
        self.by_name.update(name.removeprefix(UNRESOLVED) for name in names if name.startswith(UNRESOLVED))

    def finalize(self) -> None:
        """Link what is called, and make code of it."""
        self._begun = True  # in a circle it is asked for again
        super().finalize()

    def _optimize_final_module(self) -> None:
        """Link what is called by name as well."""
        asked = self.by_name.union(*(getattr(library, "by_name", ()) for library in self._linking_libraries))
        self.by_name, done = set(), set()
        while asked:
            done.add(name := min(asked))
            part = self.parts.get(name)
            if part is None or (part is not self and part._begun and not part._finalized):
                self.by_name.add(name)  # further out in the same circle: whoever calls both links it
            else:
                address = f'declare void @"{name}"()\n@"{UNRESOLVED}{name}" = linkonce_odr constant ptr @"{name}"\n'
                self._final_module.link_in(parse_assembly(address))
                if part is not self:
                    self._final_module.link_in(part._get_module_for_linking(), preserve=True)
                    self._reload_init.update(part._reload_init)
                    asked |= part.by_name
            asked -= done


class WholeCode(Code):
    """Machine code of a function that Python calls, with what it calls."""

    def _optimize_final_module(self) -> None:
        super()._optimize_final_module()
        for value in (*self._final_module.functions, *self._final_module.global_variables):
            if value.name.startswith((MANGLED, UNRESOLVED)) and value.linkage.name == "linkonce_odr":
                # Nobody else calls it: it may be copied to its callers and go.
                value.linkage = "external" if value.name in self.by_name else "internal"
        JITCodeLibrary._optimize_final_module(self)


class PartCode(Code):
    """Code of a function that compiled code calls: tidied, not optimised, not made machine code."""

    def _optimize_functions(self, module):
        module.data_layout = self._codegen._data_layout
        passes = create_new_module_pass_manager()
        passes.add_sroa_pass()
        passes.add_simplify_cfg_pass()
        passes.add_instruction_combine_pass()
        passes.add_global_dead_code_eliminate_pass()  # addresses of dispatchers, which would keep it from being stored
        passes.run(module, create_pass_builder(self._codegen._tm, PipelineTuningOptions()))

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def stored(self) -> tuple:
        """Return what is stored of it: its name, its code, and what must be called before the code runs."""
        return self.name, self._final_module.as_bitcode(), tuple(self._reload_init)

    @classmethod
    def from_stored(cls, codegen, name, code, begin):
        """Return it again."""
        self = cls(codegen, name)
        self._final_module = parse_bitcode(code)
        self._finalize_final_module()
        for function in begin:
            function()
        self._reload_init.update(begin)
        return self


class WholeCompiler(Compiler):
    """numba's compiler, into `WholeCode`."""

    code = WholeCode

    def define_pipelines(self):
        """Name what to compile into, and numba's passes."""
        self.state.library = self.code(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        self.state.library.enable_object_caching()
        return super().define_pipelines()


class PartCompiler(WholeCompiler):
    """numba's compiler, into `PartCode`."""

    code = PartCode


class WholeCacheImpl(CompileResultCacheImpl):
    """How a whole is stored: as numba does, with a checksum, since code with a wrong byte would be run."""

    def reduce(self, result):
        """Return what is stored of a result."""
        stored = dumps(self.to_store(result))
        return sha256(stored).digest(), stored

    def rebuild(self, target_context, payload):
        """Return the result again, from what is stored and `intact`."""
        _, stored = payload
        return self.from_stored(target_context, pickle.loads(stored))

    def to_store(self, result):
        """Return the values that are stored."""
        return super().reduce(result)

    def from_stored(self, target_context, stored):
        """Return a result from them."""
        return super().rebuild(target_context, stored)


class PartCacheImpl(WholeCacheImpl):
    """How a part is stored: beside what is stored of the same function as a whole."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        """Return the name of the files."""
        return "part-" + super().get_filename_base(fullname, abiflags)

    def check_cachable(self, result: CompileResult) -> bool:
        """Return whether it can be stored: not while the rest of a circle that it belongs to is not there yet."""
        return super().check_cachable(result) and not result.library.by_name

    def to_store(self, result):
        """Return the values that are stored."""
        result.fndesc.typemap = result.fndesc.calltypes = None
        environments = tuple(result._find_referenced_environments())  # kept alive by the result, as numba does
        return result.library.stored(), result.fndesc, result.environment, result.signature, environments

    def from_stored(self, target_context, stored):
        """Return a result from them."""
        code, fndesc, environment, signature, environments = stored
        known = {
            "target_context": target_context,
            "library": PartCode.from_stored(target_context.codegen(), *code),
            "fndesc": fndesc,
            "environment": environment,
            "signature": signature,
            "referenced_envs": environments,
        }
        return CompileResult(**dict.fromkeys(CompileResult._fields) | known)


class WholeCache(FunctionCache):
    """What is stored of a whole."""

    _impl_class = WholeCacheImpl

    def _load_overload(self, sig, target_context):
        if not self._enabled:
            return None
        key = self._index_key(sig, target_context.codegen())
        try:
            payload = intact(self._cache_file.load(key))
        except Exception:  # cut off, overwritten, empty: whatever pickle makes of that; it is compiled again
            with suppress(OSError):
                self.flush()
            return None
        # What was stored whole and cannot be taken up is a fault of ours, and is told.
        return None if payload is None else self._impl.rebuild(target_context, payload)


def intact(payload):
    """Return what was read from the cache, or None where there is nothing.

    Raises
    ------
    ValueError
        When it is not as it was stored.
    """
    if payload is not None:
        digest, stored = payload
        if sha256(stored).digest() != digest:
            raise ValueError("compiled code was damaged where it is stored")
    return payload


class PartCache(WholeCache):
    """What is stored of a part."""

    _impl_class = PartCacheImpl


class Dispatcher(CPUDispatcher):
    """A function and its compiler, as numba has them, but for what compiled callers get."""

    compiler: type[Compiler]

    def __init__(self, py_func, locals=None, targetoptions=None):
        super().__init__(py_func, locals or {}, targetoptions, pipeline_class=self.compiler)

    def fold_argument_types(self, args, kws):
        """Return the signature and the types of all arguments, by which numba knows a function that calls itself."""
        signature, found = super().fold_argument_types(args, kws)
        return signature, tuple(map(any_number, found))

    def get_call_template(self, args, kws):
        """Return what compiled callers call.

        One for all constants and all widths of whole numbers, where numba would compile a function for each. It still
        does where the constant itself is needed, as for a place in a tuple of different types.
        """
        try:
            return super().get_call_template(
                tuple(map(any_number, args)), {name: any_number(kws[name]) for name in kws}
            )
        except (TypingError, ForceLiteralArg) as error:
            constants = any(isinstance(kind, types.Literal) for kind in (*args, *kws.values()))
            if not constants or self.typingctx.callstack.findfirst(self.py_func):  # that would have no end
                raise
            try:
                return super().get_call_template(args, kws)
            except TypingError as second:
                raise (error if isinstance(error, TypingError) else second) from None


def any_number(kind: types.Type) -> types.Type:
    """Return the type that a function is compiled for where it gets one of this type."""
    kind = types.unliteral(kind)
    return types.int64 if isinstance(kind, types.Integer) and kind.bitwidth < 64 else kind


class PartDispatcher(Dispatcher):
    """Compiles a function for callers that are compiled themselves; Python cannot call it."""

    compiler = PartCompiler

    def __init__(self, py_func, locals=None, targetoptions=None):
        super().__init__(py_func, locals, {**targetoptions, "no_cpython_wrapper": True})
        self._compiler._customize_flags = without_executable

    def enable_caching(self) -> None:
        """Store parts, and find them again."""
        self._cache = PartCache(self.py_func)

    def compile(self, sig):
        """Return what numba knows the compiled part of this signature by."""
        with global_compiler_lock, self._compiling_counter:
            args, return_type = normalize_signature(sig)
            if args not in self.overloads:
                result = self._cache.load_overload(sig, self.targetctx)
                if result is None:
                    try:
                        result = self._compiler.compile(args, return_type)
                    except ForceLiteralArg as error:
                        raise error.bind_fold_arguments(
                            lambda given, named: self._compiler.fold_argument_types(given, named)[1]
                        ) from None
                    self._cache.save_overload(sig, result)
                result = result._replace(entry_point=object())
                self.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
                Code.parts[result.fndesc.llvm_func_name] = result.library
                self.overloads[args] = result
            return self.overloads[args].entry_point


def without_executable(flags):
    """Tell numba's compiler that nobody calls the function from Python."""
    flags.no_compile = True
    return flags


class AloneDispatcher(Dispatcher):
    """Compiles a function as a whole, for Python and for compiled callers."""

    compiler = WholeCompiler

    def enable_caching(self) -> None:
        """Store what is compiled, and find it again."""
        self._cache = WholeCache(self.py_func)

    def add_overload(self, result: CompileResult) -> None:
        """Take in what was compiled, and hand its parts their constants for the interpreter, such as texts to print."""
        for environment in result._find_referenced_environments():
            result.codegen.set_env(environment.env_name, environment)
        super().add_overload(result)


def twin(function: FunctionType) -> FunctionType:
    """Return the same function as another object, or numba takes a whole that calls its part for one that recurs."""
    same = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    same.__kwdefaults__ = function.__kwdefaults__
    same.__qualname__, same.__module__ = function.__qualname__, function.__module__
    return same


class WholeDispatcher(AloneDispatcher):
    """Compiles a function as a whole when Python calls it, and as a part for compiled callers."""

    def __init__(self, py_func, locals=None, targetoptions=None):
        super().__init__(py_func, locals, targetoptions)
        self.part = PartDispatcher(twin(py_func), locals, targetoptions)

    def enable_caching(self) -> None:
        """Store what is compiled, and find it again."""
        super().enable_caching()
        self.part.enable_caching()

    @property
    def _numba_type_(self):
        """What the function is to compiled code."""
        return types.Dispatcher(self.part)
