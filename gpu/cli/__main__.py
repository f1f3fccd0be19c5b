"""`python -m gpu.cli`: the command line without the window."""

import sys

from gpu.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
