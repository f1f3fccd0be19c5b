"""The modelled GPU: a deterministic simulation of manager, workers, memory and barriers."""
