"""The ops from which checks build their graphs, by name: each is found in the catalogue when this is imported."""

from __future__ import annotations

from conformance.ops import find

ABS = find("abs").name
ADD = find("add").name
ANGLE = find("angle").name
ASTYPE = find("astype").name
BROADCAST_TO = find("broadcast_to").name
CHOLESKY = find("cholesky").name
CLIP = find("clip").name
CONCAT = find("concat").name
CONV2D = find("conv2d").name
COS = find("cos").name
CUMMAX = find("cummax").name
CUMULATIVE_PROD = find("cumulative_prod").name
CUMULATIVE_SUM = find("cumulative_sum").name
DIFF = find("diff").name
DIVIDE = find("divide").name
EXP = find("exp").name
EXPAND_DIMS = find("expand_dims").name
FLOOR_DIVIDE = find("floor_divide").name
GETITEM = find("getitem").name
GETITEM_INTEGER_ARRAY = find("getitem_integer_array").name
INDEX_ADD = find("index_add").name
INDEX_UPDATE = find("index_update").name
LOG = find("log").name
LOG_SOFTMAX = find("log_softmax").name
LINSPACE = find("linspace").name
LOGCUMSUMEXP = find("logcumsumexp").name
LOGSUMEXP = find("logsumexp").name
MATMUL = find("matmul").name
MATRIX_TRANSPOSE = find("matrix_transpose").name
MAX = find("max").name
MAXIMUM = find("maximum").name
MAX_POOL2D = find("max_pool2d").name
MEAN = find("mean").name
MEDIAN = find("median").name
MIN = find("min").name
MINIMUM = find("minimum").name
MULTIPLY = find("multiply").name
NEGATIVE = find("negative").name
PERMUTE_DIMS = find("permute_dims").name
POW = find("pow").name
PROD = find("prod").name
NANPROD = find("nanprod").name
REAL = find("real").name
RECIPROCAL = find("reciprocal").name
RELU = find("relu").name
REMAINDER = find("remainder").name
RESHAPE = find("reshape").name
SIGMOID = find("sigmoid").name
SIN = find("sin").name
SOFTMAX = find("softmax").name
SORT = find("sort").name
SPLIT = find("split").name
SQRT = find("sqrt").name
SQUARE = find("square").name
STACK = find("stack").name
SUBTRACT = find("subtract").name
SWAPAXES = find("swapaxes").name
SUM = find("sum").name
TAKE = find("take").name
TAKE_ALONG_AXIS = find("take_along_axis").name
TANH = find("tanh").name
WHERE = find("where").name
