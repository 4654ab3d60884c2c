"""What TensorFlow makes of segments of entries along the first axis: sums, products, means, largest and smallest entries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

from conformance.errors import Unsupported


def of_segments(reduced: Any, x: Any, segment_ids: Any, num_segments: int) -> Any:
    """A reduction of segments, such as tf.math.unsorted_segment_sum, which refuse those that there are not."""
    if np.max(segment_ids, initial=0) >= num_segments:
        raise Unsupported("tf.math.unsorted_segment_sum takes the segments that there are")
    return reduced(x, tf.constant(segment_ids, tf.int32), num_segments)


def extreme(reduced: Any, x: Any, segment_ids: Any, num_segments: int) -> Any:
    """The largest or smallest entries of segments, which have some; of none they are the last finite number."""
    if not {*range(num_segments)} <= {*segment_ids}:
        raise Unsupported("of a segment without entries TensorFlow has the last finite number")
    return of_segments(reduced, x, segment_ids, num_segments)


SEGMENTS: Mapping[str, Callable[..., Any]] = {
    "segment_sum": lambda x, segment_ids, num_segments: of_segments(
        tf.math.unsorted_segment_sum, x, segment_ids, num_segments
    ),
    "segment_max": lambda x, segment_ids, num_segments: extreme(
        tf.math.unsorted_segment_max, x, segment_ids, num_segments
    ),
    "segment_min": lambda x, segment_ids, num_segments: extreme(
        tf.math.unsorted_segment_min, x, segment_ids, num_segments
    ),
    "segment_prod": lambda x, segment_ids, num_segments: of_segments(
        tf.math.unsorted_segment_prod, x, segment_ids, num_segments
    ),
    "segment_mean": lambda x, segment_ids, num_segments: of_segments(
        tf.math.unsorted_segment_mean, x, segment_ids, num_segments
    ),
}
