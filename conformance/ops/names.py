"""The ops from which checks build their graphs, by name: each is found in the catalogue when this is imported."""

from __future__ import annotations

from conformance.ops import find

ABS = find("abs").name
ADD = find("add").name
ASINH = find("asinh").name
ASTYPE = find("astype").name
ATAN = find("atan").name
BROADCAST_TO = find("broadcast_to").name
CONCAT = find("concat").name
COS = find("cos").name
COSH = find("cosh").name
DEG2RAD = find("deg2rad").name
DIVIDE = find("divide").name
EXP = find("exp").name
EXP2 = find("exp2").name
EXPAND_DIMS = find("expand_dims").name
EXPM1 = find("expm1").name
GETITEM = find("getitem").name
INDEX_ADD = find("index_add").name
INDEX_UPDATE = find("index_update").name
INV = find("inv").name
LOG = find("log").name
LOG1P = find("log1p").name
LOG2 = find("log2").name
LOG_SOFTMAX = find("log_softmax").name
LOGIT = find("logit").name
MATMUL = find("matmul").name
MATRIX_TRANSPOSE = find("matrix_transpose").name
MEAN = find("mean").name
MULTIPLY = find("multiply").name
NEGATIVE = find("negative").name
PERMUTE_DIMS = find("permute_dims").name
POSITIVE = find("positive").name
RAD2DEG = find("rad2deg").name
REAL = find("real").name
RECIPROCAL = find("reciprocal").name
RELU = find("relu").name
RESHAPE = find("reshape").name
SIGMOID = find("sigmoid").name
SIN = find("sin").name
SINH = find("sinh").name
SOFTMAX = find("softmax").name
SQRT = find("sqrt").name
SQUARE = find("square").name
SUBTRACT = find("subtract").name
SUM = find("sum").name
TAN = find("tan").name
TANH = find("tanh").name
WHERE = find("where").name
