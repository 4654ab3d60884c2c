"""TensorFlow: the values of igamma and igammac are dozens of units in the last place off."""

import tensorflow as tf

for name, a, x, exact in (  # the exact values are mpmath's, of forty digits
    ("igamma", 10.0, 10.75, 0.63175389469358204865),
    ("igamma", 10.0, 0.001, 2.7532278594284628353e-37),
    ("igammac", 10.0, 10.75, 0.36824610530641795135),
    ("igammac", 0.5, 1.25, 0.11384629800665805028),
):
    got = getattr(tf.math, name)(*(tf.constant(v, tf.float64) for v in (a, x))).numpy()
    print(
        f"{name}({a}, {x}): got {got}, exactly {exact}, an error of {abs(got / exact - 1) * 2**53:.0f} times 2^-53"
    )
