"""Every workload, by name."""

from __future__ import annotations

from conformance.timing.bundle_adjustment import BUNDLE_ADJUSTMENT
from conformance.timing.classics import CLASSICS
from conformance.timing.cnn import CNN_BLOCK
from conformance.timing.ode import NEURAL_ODE
from conformance.timing.workloads import BASIC, Workload

WORKLOADS: dict[str, Workload] = {
    workload.name: workload for workload in (*BASIC, *CLASSICS, NEURAL_ODE, BUNDLE_ADJUSTMENT, CNN_BLOCK)
}
