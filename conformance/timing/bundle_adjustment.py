"""Bundle adjustment: where cameras see points, against where they were seen.

A camera has a rotation vector, a centre, a focal length, a principal point and two coefficients of radial distortion; a
point is turned by Rodrigues' formula, projected and distorted (the camera model of Bundler, and of ADBench's BA; Šrajer,
Kukelova and Fitzgibbon 2018). Here every camera sees every point, so that the program is broadcasting and no lookup.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.ops.names import ADD, COS, DIVIDE, MEAN, MULTIPLY, SIN, SQRT, SQUARE, SUBTRACT
from conformance.timing.workloads import (
    Array,
    FindOp,
    Function,
    Size,
    ValueAndGradient,
    Workload,
    normal,
    sized,
)

# Each of the cameras' is a column, each of the points' a row, each of the observations' a matrix of both.
ROTATION, CENTRE, FOCAL, PRINCIPAL, DISTORTION = slice(0, 3), slice(3, 6), 6, slice(7, 9), slice(9, 11)
POINT, WEIGHT, SEEN = slice(11, 14), 14, slice(15, 17)
AHEAD = 5.0  # how far the points are from the cameras: far enough that none is behind one


def operands(size: Size, dtype: str, rng: np.random.Generator) -> tuple[Array, ...]:
    """Cameras that are turned a little, a cloud of points ahead of them, weights, and where the points were seen."""
    cameras, points = size.values()

    def drawn(count: int, *shape: int, scale: float = 0.1, about: float = 0.0) -> list[Array]:
        return [(about + normal(rng, "float64", *shape, scale=scale)).astype(dtype) for _ in range(count)]

    each, row, both = (cameras, 1), (points,), (cameras, points)
    rotation, centre = drawn(3, *each), drawn(3, *each)
    inner = [*drawn(1, *each, about=1.0), *drawn(2, *each), *drawn(2, *each, scale=0.01)]
    cloud = [*drawn(2, *row, scale=1.0), *drawn(1, *row, scale=0.5, about=AHEAD)]
    return (*rotation, *centre, *inner, *cloud, *drawn(1, *both, about=1.0), *drawn(2, *both, scale=0.3))


def program(op: FindOp, size: Size) -> Function:
    """With the catalogue's ops."""
    add, subtract, multiply, divide = op(ADD), op(SUBTRACT), op(MULTIPLY), op(DIVIDE)
    square, sqrt, sin, cos, mean = op(SQUARE), op(SQRT), op(SIN), op(COS), op(MEAN)

    def dot(a: Any, b: Any) -> Any:
        return add(add(multiply(a[0], b[0]), multiply(a[1], b[1])), multiply(a[2], b[2]))

    def cross(a: Any, b: Any) -> list[Any]:
        return [
            subtract(multiply(a[i], b[j]), multiply(a[j], b[i])) for i, j in ((1, 2), (2, 0), (0, 1))
        ]  # fmt: skip

    def rotated(rotation: Any, d: Any) -> list[Any]:
        angle = sqrt(dot(rotation, rotation))
        axis = [divide(part, angle) for part in rotation]
        s, c, along = sin(angle), cos(angle), dot(axis, d)
        across = cross(axis, d)
        turned = []
        for i in range(3):
            parallel = multiply(along, axis[i])
            rest = add(multiply(c, subtract(d[i], parallel)), multiply(s, across[i]))
            turned.append(add(rest, parallel))
        return turned

    def loss(*given: Any) -> Any:
        d = [subtract(x, c) for x, c in zip(given[POINT], given[CENTRE], strict=True)]
        ahead = rotated(given[ROTATION], d)
        image = [divide(ahead[0], ahead[2]), divide(ahead[1], ahead[2])]
        radius = add(square(image[0]), square(image[1]))
        first, second = given[DISTORTION]
        bent = add(multiply(first, radius), multiply(second, square(radius)))
        residuals = []
        for at, centre, seen in zip(image, given[PRINCIPAL], given[SEEN], strict=True):
            found = add(multiply(given[FOCAL], add(at, multiply(at, bent))), centre)
            residuals.append(
                mean(square(multiply(given[WEIGHT], subtract(found, seen))), axis=None, keepdims=False)
            )
        return add(*residuals)

    return loss


def inner(a: Any, b: Any) -> Any:
    """a · b, of vectors as three arrays."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def outer(a: Any, b: Any) -> list[Array]:
    """a × b, of vectors as three arrays."""
    return [a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))]


def turned(given: tuple[Array, ...]) -> tuple[Any, ...]:
    """The points from the cameras' centres, angle and axis of the rotations, and the points turned."""
    d = [x - c for x, c in zip(given[POINT], given[CENTRE], strict=True)]
    angle = np.sqrt(inner(given[ROTATION], given[ROTATION]))
    axis = [part / angle for part in given[ROTATION]]
    along, across, s, c = inner(axis, d), outer(axis, d), np.sin(angle), np.cos(angle)
    return d, angle, axis, [c * (d[i] - along * axis[i]) + s * across[i] + along * axis[i] for i in range(3)]


def projected(given: tuple[Array, ...], ahead: list[Array]) -> tuple[Any, ...]:
    """The image without distortion, its squared radius, by how much distortion stretches it, and what is off how far."""
    image = [ahead[0] / ahead[2], ahead[1] / ahead[2]]
    radius = image[0] * image[0] + image[1] * image[1]
    first, second = given[DISTORTION]
    stretch = 1 + radius * (first + second * radius)
    off = [
        given[FOCAL] * at * stretch + centre - seen
        for at, centre, seen in zip(image, given[PRINCIPAL], given[SEEN], strict=True)
    ]
    return image, radius, stretch, off


def forward(size: Size, *given: Array) -> Any:
    """The hand-written value."""
    *_, off = projected(given, turned(given)[-1])
    return sum(np.mean(np.square(given[WEIGHT] * each)) for each in off)


def gradient(size: Size, *given: Array) -> ValueAndGradient:
    """The hand-written value and gradients: from the residuals to the image, the turned points, and what they are of."""
    d, angle, axis, ahead = turned(given)
    image, radius, stretch, off = projected(given, ahead)
    weight, focal, (first, second) = given[WEIGHT], given[FOCAL], given[DISTORTION]
    value = sum(np.mean(np.square(weight * each)) for each in off)
    g_off = [weight * weight * each * (2 / each.size) for each in off]
    g_weight = sum(weight * np.square(each) * (2 / each.size) for each in off)
    g_at = inner([*g_off, 0], [*image, 0])  # of focal · stretch
    g_stretch = focal * g_at
    g_radius = g_stretch * (first + 2 * second * radius)
    g_image = [focal * stretch * g + 2 * at * g_radius for g, at in zip(g_off, image, strict=True)]
    g_ahead = [g / ahead[2] for g in g_image]
    g_ahead.append(-(g_ahead[0] * image[0] + g_ahead[1] * image[1]))
    g_rotation, g_d = turned_back(g_ahead, d, angle, axis)
    return value, (
        *g_rotation,
        *(-per_camera(g) for g in g_d),
        per_camera(g_at * stretch),
        *(per_camera(g) for g in g_off),
        per_camera(g_stretch * radius),
        per_camera(g_stretch * radius * radius),
        *(g.sum(axis=0) for g in g_d),
        g_weight,
        *(-g for g in g_off),
    )


def per_camera(g: Array) -> Any:
    """The sum over the points."""
    return g.sum(axis=1, keepdims=True)


def turned_back(
    g: list[Array], d: list[Array], angle: Array, axis: list[Array]
) -> tuple[list[Array], list[Array]]:
    """The cotangents of rotations and of points from their centres: d' = c d + s (k × d) + (1 − c)(k · d) k."""
    s, c = np.sin(angle), np.cos(angle)
    along, g_along = inner(axis, d), inner(axis, g)
    back = outer(g, axis)
    g_d = [c * g[i] + s * back[i] + (1 - c) * g_along * axis[i] for i in range(3)]
    g_angle = per_camera(c * inner(g, outer(axis, d)) - s * (inner(g, d) - g_along * along))
    twist = outer(d, g)
    g_axis = [per_camera(s * twist[i] + (1 - c) * (along * g[i] + g_along * d[i])) for i in range(3)]
    g_angle = g_angle - inner(g_axis, axis) / angle
    return [g_axis[i] / angle + g_angle * axis[i] for i in range(3)], g_d


BUNDLE_ADJUSTMENT = Workload(
    "bundle_adjustment",
    sized("cameras", "points", small=(3, 8), medium=(10, 100), large=(50, 2000), huge=(100, 10_000)),
    operands,
    program,
    forward,
    gradient,
)
