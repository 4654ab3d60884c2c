"""Packages that this project needs, and that the installation of an engine has replaced by an older release."""

from __future__ import annotations

from importlib import metadata


def outdated(project: str = "autograd-conformance") -> str:
    """What is too old or missing, and what to do about it; an empty text where nothing is."""
    from packaging.requirements import Requirement

    try:
        needed = [Requirement(text) for text in metadata.requires(project) or ()]
    except metadata.PackageNotFoundError:  # its folder is on the path
        return ""
    wrong = [
        (each, _version(each.name))
        for each in needed
        if each.marker is None and not each.specifier.contains(_version(each.name) or "0", prereleases=True)
    ]
    if not wrong:
        return ""
    found = ", ".join(f"{each.name} {version or '(missing)'}" for each, version in wrong)
    wanted = " ".join(f"'{each.name}{each.specifier}'" for each, _ in wrong)
    return f"found {found}: another package may have replaced it; pip install {wanted}"


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""
