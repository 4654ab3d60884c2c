"""pytest-xdist's scheduler by group, repaired for workers that die.

Everything of xdist that its documentation does not promise stands here: `_reschedule`, `_pending_of`, `workqueue`,
`assigned_work`, the processes of its gateways and the limit on workers that are replaced. `require_xdist` says so where a release no longer has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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


class Places(list[str]):
    """A list whose `index` does not search: xdist looks up each of some ten thousand items."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__(names)
        self._places = {name: place for place, name in enumerate(self)}

    def index(self, name: str, *_: Any) -> int:
        """The place of a name, each of which is there once."""
        return self._places[name]


class ScopeScheduling(LoadGroupScheduling):  # type: ignore[misc]  # xdist is not typed
    """xdist's own, but for what it does after the death of a worker, and that it hands out nothing when the time is over.

    It hands out groups that were finished already, and one group of one question at a time. A worker
    holds its last question back until more arrives or until it is shut down, so either would leave it
    waiting for ever.
    """

    def add_node_collection(self, node: Any, collection: Sequence[str]) -> None:
        """A worker has collected its items, whose places are looked up once for each."""
        super().add_node_collection(node, collection)
        if node in self.registered_collections:
            self.registered_collections[node] = Places(collection)

    def remove_node(self, node: Any) -> Any:
        """Forget a worker that died; what it had finished is not handed out again."""
        groups = self.assigned_work[node]
        self.assigned_work[node] = {name: g for name, g in groups.items() if not all(g.values())}
        return super().remove_node(node)

    def _reschedule(self, node: Any) -> None:
        self._forget_finished(node)
        if node not in self.registered_collections:
            return  # it has just replaced another and has not collected its questions yet
        if is_over(self.config.getoption("--conformance-until", default=None)):
            self.workqueue.clear()
        while not node.shutting_down:
            if self.workqueue and self._pending_of(self.assigned_work[node]) > 2:
                return
            super()._reschedule(node)

    def _forget_finished(self, node: Any) -> None:
        """Keep only the groups that a worker has not finished: xdist counts the pending items of all after every item."""
        groups = self.assigned_work[node]
        for name in [name for name, group in groups.items() if all(group.values())]:
            del groups[name]


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
