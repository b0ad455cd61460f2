"""Text of strangers, safe to show."""

from __future__ import annotations

import re

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def plain(text: str) -> str:
    """Spells out characters that command a terminal, turn the order of words or cannot be seen.
    Agents repeat what they read anywhere."""
    return _CONTROL.sub(_spelled, text)


def _spelled(found: re.Match[str]) -> str:
    code = ord(found.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"⟨{code:04X}⟩"
