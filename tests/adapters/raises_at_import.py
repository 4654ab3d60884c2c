"""An adapter that raises while it is imported."""

raise RuntimeError("libengine.so.7: cannot open shared object file")
