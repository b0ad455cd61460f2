"""How often, and how soon, a broken connection is opened again."""

from __future__ import annotations

from dataclasses import dataclass

# What a server may ask for at most: its limits count by the minute.
LONGEST_WAIT = 60.0


@dataclass(frozen=True)
class Retry:
    """Waits of 1, 2, 4, 8 and 16 seconds, never more than 30; then it gives up."""

    max_retries: int = 5
    initial_delay: float = 1.0
    max_delay: float = 30.0
    multiplier: float = 2.0

    def delay(self, n: int, chance: float) -> float:
        """The wait before attempt n, counted from 0. Chance, 0 to 1, shortens it to between
        half and all of it, so that clients do not come all at once."""
        exponent = min(n, 64)  # a float goes no further, and max_delay is reached long before
        whole = min(self.initial_delay * self.multiplier**exponent, self.max_delay)
        return whole / 2 + chance * whole / 2
