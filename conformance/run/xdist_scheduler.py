"""pytest-xdist's scheduler by group, repaired for workers that die.

Everything of xdist that its documentation does not promise stands here: `_reschedule`, `_pending_of`, `workqueue`,
`assigned_work`, the processes of its gateways and the limit on workers that are replaced. `require_xdist` says so where a release no longer has them.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from xdist.dsession import Interrupted
from xdist.scheduler import LoadGroupScheduling

from conformance.errors import DependencyError
from conformance.run.process.deadline import is_over

PRIVATE = ("_reschedule", "_pending_of")


def require_xdist(scheduler: type) -> None:
    """Raise DependencyError, naming xdist's version, where the scheduler lacks what is relied on."""
    missing = [name for name in PRIVATE if not hasattr(scheduler, name)]
    if missing:
        raise DependencyError(
            "pytest-xdist", version("pytest-xdist"), f"{scheduler.__name__} has no {' and no '.join(missing)}"
        )


class ScopeScheduling(LoadGroupScheduling):  # type: ignore[misc]  # xdist is not typed
    """xdist's own, but for what it does after the death of a worker, and that it hands out nothing when the time is over.

    It hands out groups that were finished already, and one group of one question at a time. A worker
    holds its last question back until more arrives or until it is shut down, so either would leave it
    waiting for ever.
    """

    def remove_node(self, node: Any) -> Any:
        """Forget a worker that died; what it had finished is not handed out again."""
        groups = self.assigned_work[node]
        self.assigned_work[node] = {name: g for name, g in groups.items() if not all(g.values())}
        return super().remove_node(node)

    def _reschedule(self, node: Any) -> None:
        if node not in self.registered_collections:
            return  # it has just replaced another and has not collected its questions yet
        if is_over(self.config.getoption("--conformance-until", default=None)):
            self.workqueue.clear()
        while not node.shutting_down:
            if self.workqueue and self._pending_of(self.assigned_work[node]) > 2:
                return
            super()._reschedule(node)


def process_of(node: Any) -> Any:
    """The process of a worker; None where execnet does not show it."""
    return getattr(getattr(node.gateway, "_io", None), "popen", None)


def stop_session(config: Any, why: str) -> None:
    """End the session that distributes the items: no worker is replaced any more."""
    session = config.pluginmanager.getplugin("dsession")
    session.shouldstop = why.partition("\n")[0]
    session._max_worker_restart = 0


def is_stop_of_session(interrupt: BaseException) -> bool:
    """Whether an interrupt is what `stop_session` leads to, and not the user's."""
    return isinstance(interrupt, Interrupted)


require_xdist(LoadGroupScheduling)
