"""Layers of networks: what mixes channels or moves them into space, one step of recurrent cells, bilinear maps."""
