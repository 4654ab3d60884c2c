"""Finding backends: by entry point, as `module:Name`, or in a file; leaving a process that has loaded one."""

from __future__ import annotations

import contextlib
import difflib
import importlib
import importlib.util
import inspect
import os
import sys
from importlib.metadata import EntryPoint, PackageNotFoundError, metadata, version
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from conformance.backend import Backend
from conformance.errors import AdapterError, UsageError, brief, import_error_text
from conformance.importing import entry_points, process_as_it_was
from conformance.seconds import MOST_SECONDS

GROUP = "conformance.backends"
DISTRIBUTION = "autograd-conformance"
NEEDS = "conformance.needs"  # functions that say in a sentence what a backend of the same name lacks on this machine
FURTHER = "conformance.further_backends"  # found by name; a run without names leaves them out
START_TIMEOUT = 120.0  # seconds an engine may take to be imported; CONFORMANCE_PATIENCE overrides it


def registered() -> dict[str, EntryPoint]:
    """The installed adapters that a run without names has, by the name of their entry point."""
    return {point.name: point for point in sorted(entry_points(group=GROUP), key=lambda p: p.name)}


def named() -> dict[str, EntryPoint]:
    """All installed adapters, by the name of their entry point."""
    return {**{point.name: point for point in entry_points(group=FURTHER)}, **registered()}


def loaded(point: EntryPoint, what: str) -> Any:
    """What an entry point stands for; raises UsageError where its module, which may be anybody's, cannot be imported."""
    try:
        return point.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise UsageError(
            f"the {what} {point.name}, of {point.value}, cannot be loaded: {import_error_text(error)}"
        ) from error


def absence(name: str) -> str:
    """Why a backend cannot run on this machine, such as one that needs a GPU; empty where nothing speaks against it.

    No engine is imported.
    """
    point = next(iter(entry_points(group=NEEDS, name=name)), None)
    return str(point.load()()) if point else ""


def modes_of(spec: str) -> list[str]:
    """The backends that a name on the command line selects: an engine's name selects all its modes.

    Of an engine that a run without names has, those are the modes that it has there; further ones have to be named.

    Raises UsageError, with the most similar names, if there is no such backend.
    """
    place, name = _parts(spec)
    if place.endswith(".py"):
        _hold_file(Path(place))
    if name or place.endswith(".py"):
        return [spec]
    known = named()
    _hold_one(spec)
    among = registered() if spec in registered() else known
    chosen = [name for name in among if name == spec or name.startswith(f"{spec}.")]
    if not chosen:
        if Path(spec).is_file():
            raise UsageError(
                f"{spec} is a file, but an adapter is a file whose name ends in .py, or module:Name"
            )
        near = difflib.get_close_matches(spec, known, n=3, cutoff=0.6)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}."
        raise UsageError(
            f"no backend is called {brief(spec)!r}; {hint} An adapter of your own: module:Name or file.py; "
            f"to begin one: conformance new-backend {brief(spec)}"
        )
    return chosen


def _parts(spec: str) -> tuple[str, str]:
    """The file or the module that a spec names, and the class in it; the name is empty where the spec has none."""
    if spec.endswith(".py") or ":" not in spec:
        return spec, ""
    place, _, name = spec.rpartition(":")
    return place, name


def _hold_file(path: Path) -> None:
    """Raise UsageError, which says what is there instead, unless it is a file."""
    if path.is_file():
        return
    if path.is_symlink():
        raise UsageError(f"there is no file {path}: it is a link to {os.readlink(path)}, which is none")
    what = "a folder" if path.is_dir() else "a pipe or a device"
    raise UsageError(f"{path} is {what}, not a file" if path.exists() else f"there is no file {path}")


def _hold_one(name: str) -> None:
    """Raise UsageError where two installed packages give the name to backends: nobody knows which is meant."""
    points = {point.value for group in (GROUP, FURTHER) for point in entry_points(group=group, name=name)}
    if len(points) > 1:
        raise UsageError(
            f"two installed backends are called {name}: {', '.join(sorted(points))}; name one of these instead"
        )


def load_backend(spec: str) -> Backend:
    """A new instance of the backend that `spec` names.

    Args:
        spec: the name of an entry point, `module:Name`, `file.py`, or `file.py:Name`.

    Raises:
        UsageError: if there is no such backend.
        AdapterError: if it is absent here, raises while it is imported or created, or is no Backend.
    """
    known = named()
    if lacking := absence(spec):
        raise AdapterError(f"{spec} is absent: {lacking}")
    try:
        with process_as_it_was(spec):
            made = known[spec].load() if spec in known else _load(spec)
            backend = made() if isinstance(made, type) else made
    except (UsageError, AdapterError):
        raise
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit too: an adapter does not decide when this process ends
        raise AdapterError(
            f"the adapter {spec} could not start: {import_error_text(error)}\n{_hint(spec, error)}"
        ) from error
    if not isinstance(backend, Backend):
        raise AdapterError(f"{spec} is {type(backend).__name__}, not a conformance.backend.Backend")
    backend.name = backend.name or name_of(spec)
    return backend


def name_of(spec: str) -> str:
    """The name of a backend in results: its entry point, its class, or its file."""
    if spec in named():
        return spec
    place, name = _parts(spec)
    return name or Path(place).stem


def start_timeout() -> float:
    """Seconds a backend may take to start. Raises UsageError where CONFORMANCE_PATIENCE is no such number."""
    text = os.environ.get("CONFORMANCE_PATIENCE", str(START_TIMEOUT))
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= MOST_SECONDS:
        raise UsageError(
            f"CONFORMANCE_PATIENCE = {text!r} is not a number of seconds above zero, and at most {MOST_SECONDS}"
        )
    return seconds


def leave(code: int = 0) -> NoReturn:
    """End this process once its output is written, as its work is done.

    Python would wait for every thread of an engine that is no daemon, and such a thread may never end.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # an engine may have closed or replaced it
            stream.flush()
    os._exit(code)


def engine_version(name: str) -> str:
    """The version of the engine of a registered backend, from its metadata alone; empty where it is not installed.

    Nothing is imported. A backend is named after the distribution of its engine; of another name, the version is the adapter's.
    """
    engine = name.partition(".")[0]
    try:
        return version(engine)
    except PackageNotFoundError:
        point = registered().get(name)
        is_ours = engine in extras()
        return "" if is_ours or point is None or point.dist is None else point.dist.version


def found_version(name: str) -> str:
    """Like `engine_version`; "installed" where only the engine's module is there, whose distribution has another name."""
    is_there = importlib.util.find_spec(name.partition(".")[0]) is not None
    return engine_version(name) or ("installed" if is_there else "")


def extras() -> tuple[str, ...]:
    """The engines that this project installs on request, as extras of its own distribution."""
    try:
        return tuple(metadata(DISTRIBUTION).get_all("Provides-Extra") or ())
    except PackageNotFoundError:  # run from a tree that is not installed
        return ()


def install_hint(name: str) -> str:
    """The command that installs the engine of a backend; of one that is no extra, nobody knows what its package is called."""
    engine = name.partition(".")[0]
    if engine in extras():
        return f"pip install '{DISTRIBUTION}[{engine}]'"
    return f"the package that has the module {engine}"


def _hint(spec: str, error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name:
        missing = error.name.partition(".")[0]
        name = spec if missing == spec.partition(".")[0] else missing
        beside = "" if spec in named() else f", or put {missing}.py beside the adapter"
        return f"Install what it needs: {install_hint(name)}{beside}"
    return "Import it by itself in Python to see the whole traceback."


def _load(spec: str) -> object:
    place, name = _parts(spec)
    if place.endswith(".py"):
        module = _from_file(Path(place))
    elif name:
        sys.path.insert(0, str(Path.cwd()))  # where pytest and python -m look as well
        try:
            module = importlib.import_module(place)
        finally:
            sys.path.remove(str(Path.cwd()))
    else:
        modes_of(spec)
        raise UsageError(f"{spec!r} stands for several backends: {', '.join(modes_of(spec))}")
    return _attribute(module, name) if name else _only_backend(module)


_files: dict[
    tuple[Path, int], ModuleType
] = {}  # the files that this process has executed, as they were written


def _from_file(path: Path) -> ModuleType:
    """The module of a file, which is executed once in a process: it may patch an engine."""
    _hold_file(path)
    key = (path.resolve(), path.stat().st_mtime_ns)
    if key not in _files:
        _files[key] = _executed(path)
    return _files[key]


def _executed(path: Path) -> ModuleType:
    name = f"adapter_{path.stem}"  # a file called like its engine must not hide it from its own import
    found = importlib.util.spec_from_file_location(name, path)
    if found is None or found.loader is None:
        raise UsageError(f"{path} is not a Python file")
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)  # last, so that a neighbour called like an engine does not hide it
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    found.loader.exec_module(module)
    return module


def _attribute(module: ModuleType, name: str) -> object:
    try:
        return getattr(module, name)
    except AttributeError:
        offered = ", ".join(cls.__name__ for cls in _backends_in(module)) or "no backend"
        raise UsageError(f"{module.__file__ or module.__name__} has no {name}; it has {offered}") from None


def _backends_in(module: ModuleType) -> list[type[Backend]]:
    """What a file offers: its own classes, no base classes that it imports; one that is abstract where no other is."""
    held = [cls for cls in vars(module).values() if inspect.isclass(cls) and issubclass(cls, Backend)]
    own = [cls for cls in held if cls.__module__ == module.__name__]
    return list(dict.fromkeys([cls for cls in own or held if not inspect.isabstract(cls)] or own))


def _only_backend(module: ModuleType) -> type[Backend]:
    found = _backends_in(module)
    if not found:
        raise AdapterError(f"{module.__file__} holds no subclass of TapeBackend or FunctionalBackend")
    if len(found) > 1:
        names = ", ".join(cls.__name__ for cls in found)
        raise AdapterError(
            f"{module.__file__} holds {len(found)} backends ({names}); name one: {module.__file__}:Name"
        )
    return found[0]
