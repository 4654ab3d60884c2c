"""The checks: one function per claim, one module per chapter of the standard."""

from conformance.checks.registry import CHECKS, Check, Kind

__all__ = ["CHECKS", "Check", "Kind", "load_all"]


def load_all() -> dict[str, Check]:
    """Every check by its key; importing the chapters registers them."""
    from conformance.checks import (  # noqa: F401 - imported to register
        batches,
        capabilities,
        complex_operands,
        control_flow,
        cost,
        cutting,
        dependence,
        examples,
        flatness,
        forward_mode,
        graph,
        history,
        inverses,
        laws,
        leaves,
        lifetime,
        magnitudes,
        masking,
        mutation,
        neighbours,
        number_kinds,
        order_of_calls,
        points,
        precision,
        programs,
        refusals,
        repeated_places,
        results,
        rules_by_hand,
        second_order,
        seeding,
        structures,
        summing,
        values,
        watching,
        ways_to_run,
        writing,
    )

    return CHECKS
