"""MLX: of what a function under vmap captures, and writes into its array, the first row alone gets a block; the gradient raises."""

import mlx.core as mx

mx.set_default_device(mx.cpu)
x, block, number = mx.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), mx.array([7.0, 8.0]), mx.array(7.0)
start = mx.array([0])


def written(x):
    """The block, written into every row."""
    return mx.vmap(lambda row: mx.slice_update(row, block, start, (0,)))(x)


def added(x, number):
    """The number, added to the first entry of every row."""
    return mx.vmap(lambda row: row.at[0].add(number))(x)


print("slice_update: got", written(x).tolist(), "expected [[7.0, 8.0, 3.0], [7.0, 8.0, 6.0]]")
got = mx.grad(lambda x: mx.sum(written(x)))(x).tolist()
print("its gradient by the rows: got", got, "expected [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]")
print("at.add: got", added(x, number).tolist(), "expected [[8.0, 2.0, 3.0], [11.0, 5.0, 6.0]]")
try:
    print(
        "its gradient by the number: got",
        mx.grad(lambda s: mx.sum(added(x, s)))(number).item(),
        "expected 2.0",
    )
except ValueError as error:
    print("its gradient by the number:", error)
