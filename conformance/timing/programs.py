"""Every workload, by name."""

from __future__ import annotations

from conformance.timing.classics import CLASSICS
from conformance.timing.ode import NEURAL_ODE
from conformance.timing.workloads import BASIC, Workload

WORKLOADS: dict[str, Workload] = {workload.name: workload for workload in (*BASIC, *CLASSICS, NEURAL_ODE)}
