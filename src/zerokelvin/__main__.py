"""``python -m zerokelvin`` is the command ``zerokelvin``."""

from zerokelvin.cli.main import main

if __name__ == "__main__":
    main()
