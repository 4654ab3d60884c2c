"""The atlas: what each engine does where engines may legitimately differ."""
