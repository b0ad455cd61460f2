"""Waking those who wait for a change."""

from __future__ import annotations

import asyncio


class Signal:
    """Something changed. Take ``next`` before looking at what may change, and await it after:
    so no change is missed."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    @property
    def next(self) -> asyncio.Event:
        """Is set with the next change."""
        return self._event

    def fire(self) -> None:
        fired, self._event = self._event, asyncio.Event()
        fired.set()
