"""The script of what engines offer beyond gradients runs as plain Python, in the engine's own words."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import io
import re
from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.backend import Capability
from conformance.checks import load_all
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation
from conformance.scripts.builder import ScriptBuilder
from conformance.scripts.script import recorder, script_of

ENGINES = {
    "numpy": ("numpy_backend", "NumpyTape"),
    "torch": ("torch_backend", "TorchTape"),
    "torch.func": ("torch_backend", "TorchFunc"),
    "autograd": ("autograd_backend", "Autograd"),
    "jax": ("jax_backend", "JaxEager"),
    "jax.jit": ("jax_backend", "JaxJit"),
}
WORDS = {  # what a script must say, where it says anything about the capability
    Capability.HIGHER_ORDER: ("vjp(", "torch.autograd.grad("),
    Capability.FORWARD: ("jvp(", "make_dual"),
    Capability.COMPILING: ("jax.jit(f",),
    Capability.VECTORIZING: ("vmap(",),
    Capability.CHECKPOINTING: ("checkpoint",),
    Capability.VALUE_WITH_GRADIENT: ("value_and_grad(", "grad_and_value("),
    Capability.FREEZING: ("needs_gradient(x0, False)", "x0.requires_grad_(False)"),
    Capability.LOOPS: ("scan(f",),
    Capability.BRANCHES: ("branch(c", "cond(c"),
    Capability.RANDOM_NUMBERS: ("bernoulli(",),
    Capability.DROPOUT: ("dropout(",),
    Capability.HOOKS: ("hook(",),
    Capability.RECORDED_WRITES: ("] = ",),
    Capability.INTERMEDIATES: ("gradients_within(f",),
    Capability.STRUCTURES: ("{'w': c0, 'b': [c1, (c2,)]",),
    Capability.JACOBIANS: ("jacobian(", "jacrev("),
    Capability.COMPLEX: (".real(",),
    Capability.SEVERAL_OUTPUTS: ("gs[1]",),
    Capability.NEEDED_OPERANDS: ("gs[0]",),
    Capability.FORWARD_RULES: ("ts[0] + ts[0]",),
}


def loaded(name: str) -> Any:
    module, adapter = ENGINES[name]
    if name != "numpy":
        pytest.importorskip(name.partition(".")[0])
    return getattr(importlib.import_module(f"conformance_backends.{module}"), adapter)()


def script(backend: Any, key: str) -> str:
    return script_of(
        backend, lambda recording: load_all()[key].function(recording, Sample(1, "float64")), None
    )


def shown(text: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), np.errstate(all="ignore"):
        exec(compile(text, "script", "exec"), {})
    return out.getvalue()


@pytest.mark.costly
@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")  # by torch's own forward mode
@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("capability", WORDS, ids=lambda c: c.label)
def test_the_script_of_a_probe_runs(name: str, capability: Capability) -> None:
    backend = loaded(name)
    if capability not in backend.capabilities:
        pytest.skip(f"{name} does not declare it")
    if (name, capability) == ("autograd", Capability.STRUCTURES):
        pytest.skip("what autograd boxes as a whole has no parts that the script could name")
    text = script(backend, f"capability/{capability.label}")
    assert any(word in text for word in WORDS[capability]), text
    assert "conformance." not in text.replace("conformance.ops", "") or name == "numpy"
    assert shown(text)


@pytest.mark.parametrize("name", ["numpy", "torch"])
@pytest.mark.filterwarnings("ignore:Error detected in")
def test_the_script_of_an_anomaly_raises_it(name: str) -> None:
    text = script(loaded(name), "capability/anomaly")
    with pytest.raises((FloatingPointError, RuntimeError), match=r"(?i)sqrt"):
        shown(text)


OFFERED = [
    key
    for key, check in load_all().items()
    if check.kind == "contract" and check.needs & set(WORDS) and check.needs <= NumpyTape.capabilities
]


@pytest.mark.costly
@pytest.mark.parametrize("key", OFFERED)
def test_the_script_of_a_contract_runs_as_far_as_the_engine_goes(key: str) -> None:
    """A check may end in the engine's refusal; so does its script. A rule that branches has no formula to quote."""
    text = script(NumpyTape(), key)
    with contextlib.suppress(RuntimeError, ValueError):  # NotImplementedError of such a rule among them
        shown(text)


def test_a_refusal_after_which_a_check_goes_on_does_not_end_its_script() -> None:
    text = script(NumpyTape(), "contract/D7/refused")
    assert "except Exception as refusal:\n    print(refusal)\n" in text
    assert "could not be broadcast" in (lines := shown(text))
    assert lines.endswith("[-2.   -1.75]]\n")


def test_the_script_of_what_must_be_refused_goes_on_to_what_is_not() -> None:
    """Of several calls that the engine must refuse, one that it answers may be the last; here it refuses that, too."""
    text = script(NumpyTape(), "contract/A4/wrong-shape")
    assert text.count("except Exception as refusal:") > 1
    with pytest.raises(ValueError, match="has shape"):
        shown(text)
    assert text.rstrip().splitlines()[-1].startswith("y")


@pytest.mark.parametrize("name", ["numpy", "jax", "jax.jit"])
@pytest.mark.parametrize("key", ["while-carries", "loop-carries", "branch-in-a-loop"])
def test_the_script_of_a_loop_runs_and_says_its_condition(name: str, key: str) -> None:
    text = script(loaded(name), f"contract/C11/{key}")
    assert "Tracer" not in text
    assert key == "loop-carries" or re.search(r"> 0", text)
    is_refused = (
        key == "while-carries" and name != "numpy"
    )  # whose loop jax does not differentiate in reverse
    assert shown(text.partition("out0, pullback0 = ")[0] if is_refused else text)


@pytest.mark.parametrize("key", ["branch", "branch-nan", "branch-outputs"])
def test_the_script_of_a_branch_whose_functions_are_traced_by_their_code_runs(key: str) -> None:
    text = script(loaded("torch"), f"contract/C11/{key}")
    assert "torch.cond(c0, f0, f1, (x0" in text
    assert shown(text)


def test_a_gradient_that_is_none_is_shown() -> None:
    text = script(NumpyTape(), "contract/A13/unused-operand")
    assert ".grad)\n" in text
    assert "None" in shown(text).splitlines()


def test_a_mapped_call_that_raises_after_its_function_was_called_is_written() -> None:
    class Refusing(NumpyTape):
        """Calls the function that it maps, and refuses it."""

        def vectorized(self, function: Any) -> Any:
            def mapped(*operands: Any) -> Any:
                function(*operands)
                raise ValueError("no batching rule")

            return mapped

    backend = Refusing()
    assert backend.dialect is not None
    words = {"vectorized": "vmap({function})"}
    backend.dialect = dataclasses.replace(backend.dialect, further=words)  # type: ignore[misc]

    def run(engine: Any) -> None:
        square = engine.vectorized(lambda a: engine.op("multiply")(a, a))
        engine.vjp(lambda a: square(a), [np.ones(2)], [np.ones(2)])

    lines = script_of(backend, run, ValueError("no batching rule")).splitlines()
    assert any("vmap(f0)(x0)" in line for line in lines), lines
    assert lines[-1] == "# no batching rule"


def test_functions_in_functions_are_distinguished() -> None:
    """Each has names of its own, so that an inner one can use an outer one's."""
    backend = NumpyTape()

    def ask(engine: Any) -> None:
        multiply = engine.op("multiply")
        x, one = engine.leaf(np.array([3.0])), engine.array(np.array([1.0]))

        def cubed_slope(a: Any) -> Any:
            y = multiply(a, a)
            (gradient,) = engine.nested_vjp(lambda b: multiply(multiply(b, b), y), (a,), (one,))
            return gradient

        (second,) = engine.nested_vjp(cubed_slope, (x,), (one,))
        engine.numpy(second)

    assert "54." in shown(script_of(backend, ask, None))  # of 2 a³, at 3


def test_what_is_computed_anew_is_written_once() -> None:
    text = script(NumpyTape(), "contract/C6/anew")
    assert text.count("def f") == 1


def test_a_script_that_lacks_a_call_says_so() -> None:
    backend = NumpyTape()
    assert backend.dialect is not None
    backend.dialect = dataclasses.replace(backend.dialect, further={})  # type: ignore[misc]  # of this object alone

    def ask(engine: Any) -> None:
        x, one = engine.leaf(np.array([3.0])), engine.array(np.array([1.0]))
        engine.nested_vjp(engine.op("negative"), (x,), (one,))

    said = "# not the whole program: the adapter's dialect has no words for nested_vjp"
    assert said in script_of(backend, ask, None)
    assert "not the whole" not in script_of(NumpyTape(), ask, None)
    last = script_of(backend, ask, Violation("another gradient", got=np.zeros(1))).splitlines()[-1]
    assert "may not show it: the calls from nested_vjp on are lacking" in last
    assert "may not show" not in script_of(NumpyTape(), ask, Violation("another gradient", got=np.zeros(1)))


def test_a_script_that_lacks_a_rule_says_so() -> None:
    backend = NumpyTape()
    assert backend.dialect is not None
    backend.dialect = dataclasses.replace(backend.dialect, custom="")  # type: ignore[misc]  # of this object alone

    def ask(engine: Any) -> None:
        rule = engine.custom(lambda a: a + a, lambda g, a: (g + g,))
        engine.backward(rule(engine.leaf(np.array([3.0]))), engine.array(np.array([1.0])))

    said = "# not the whole program: the adapter's dialect has no words for custom"
    assert said in script_of(backend, ask, None)
    assert "not the whole" not in script_of(NumpyTape(), ask, None)


def test_a_dialect_without_words_says_so() -> None:
    backend = NumpyTape()
    assert backend.dialect is not None
    recording = recorder(backend, ScriptBuilder(backend, type(backend.dialect)(imports="", array="")))
    with pytest.raises(Unsupported, match="no words for checkpoint"):
        recording.checkpoint(lambda x: x)
    with pytest.raises(Unsupported, match="no words for detach"):
        recording.detach(recording.array(np.ones(2)))
    with pytest.raises(Unsupported, match="no words for no_grad"):
        recording.no_grad()
