"""Scripts: a failure reproduced in the engine's own API, without this project."""
