"""One knob over many values."""
