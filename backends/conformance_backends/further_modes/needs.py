"""What a mode needs of the machine, found out without its engine.

Each function is an entry point under "conformance.needs" with the backend's name; it returns one sentence where the
machine lacks something, and an empty text where it does not.
"""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

GPUS = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")  # the drivers of NVIDIA and of AMD, and of Windows' Linux
JAX_PLUGINS = (
    "jax_cuda13_plugin",
    "jax_cuda12_plugin",
)  # what pip install 'jax[cuda13]' and 'jax[cuda12]' add
COMPILERS = ("g++", "clang++", "c++", "cl")


def gpu() -> str:
    """A GPU, by what its driver puts there."""
    is_there = any(map(os.path.exists, GPUS)) or shutil.which("nvidia-smi")
    return "" if is_there else "this machine has no GPU"


def gpu_of_jax() -> str:
    """A GPU, and the plugin by which jax computes on it."""
    has_plugin = any(map(find_spec, JAX_PLUGINS))
    return gpu() or ("" if has_plugin else "jax has no plugin for the GPU: pip install 'jax[cuda13]'")


def platforms_of_jax() -> str:
    """The platforms that jax may use; arrays are made on the first, and on the other where an adapter puts them there."""
    return "cpu" if gpu_of_jax() else "cpu,cuda"


def cpp_compiler() -> str:
    """A compiler of C++, where torch.compile looks for one."""
    given = os.environ.get("CXX", "")
    is_there = Path(given).is_file() or any(map(shutil.which, (given, *COMPILERS)))
    return "" if is_there else "torch.compile needs a compiler of C++, such as g++"
