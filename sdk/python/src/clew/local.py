"""Finding the server of this machine, as the command line does."""

from __future__ import annotations

import json
import os
import socket
import struct
import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .errors import ClewError, line_failed
from .link import this_machine

_USUAL = "http://127.0.0.1:8000"
_WITHIN = 5.0  # how long a server may take to say who it is
_LONGEST_LINE = 1 << 20
_LONGEST_NAME = 107  # what a socket's address holds


@dataclass(frozen=True)
class Place:
    """Where a server is, and the credentials for it."""

    url: str
    token: str | None
    sees_files: bool
    """The server works on the files of this machine."""


def data_directory(environ: Mapping[str, str]) -> Path:
    """The data directory of this user's server."""
    if environ.get("CLEW_DATA"):
        return Path(environ["CLEW_DATA"])
    if os.path.isabs(environ.get("XDG_DATA_HOME", "")):
        return Path(environ["XDG_DATA_HOME"]) / "clew"
    return Path(environ.get("HOME") or Path.home()) / ".local" / "share" / "clew"


def find(data: str | os.PathLike[str] | None = None, environ: Mapping[str, str] = os.environ) -> Place:
    """Finds the server: the one that CLEW_SERVER names, else the one whose local socket is in
    the data directory, ``data``, CLEW_DATA or the usual one. Its owner token is read there,
    unless CLEW_TOKEN is set. Nothing is started."""
    directory = Path(data) if data is not None else data_directory(environ)
    token = environ.get("CLEW_TOKEN") or None
    named = environ.get("CLEW_SERVER") if data is None else None
    if named:
        url = (named if "://" in named else f"http://{named}").rstrip("/")
        if token is None and not this_machine(url):
            # The owner token opens everything. It is not shown to another machine.
            raise ClewError("AUTH_REQUIRED", f"set CLEW_TOKEN to talk to {url}", number=2001)
        return Place(url, token or _owner_token(directory), this_machine(url))
    path = _socket_file(directory, environ if data is None else {})
    if path is not None and path.exists():
        return Place(_ask(path), token or _owner_token(directory), True)
    if token is not None and data is None:
        return Place(_USUAL, token, True)
    raise line_failed(
        f"no server runs in {directory}. Start one: clew serve --detach. "
        "For one elsewhere set CLEW_SERVER and CLEW_TOKEN"
    )


def _socket_file(directory: Path, environ: Mapping[str, str]) -> Path | None:
    path = environ.get("CLEW_SOCKET", "")
    if path == "off":
        return None
    return Path(path) if path else directory / "clew.sock"


def _owner_token(directory: Path) -> str | None:
    try:
        return (directory / "token").read_text().strip() or None
    except FileNotFoundError:
        return None  # a server that lets everybody in has none


def _ask(path: Path) -> str:
    """Asks the server at a local socket for its address."""
    try:
        with closing(_dial(path)) as s:
            _check_owner(s, path)
            url = str(_ack(s).get("url", ""))
    except OSError as e:
        raise line_failed(f"no server at the local socket {path}: {e}") from None
    if not _own_address(url):
        raise line_failed(f"the local socket {path} names {url!r}", recoverable=False)
    return url.rstrip("/")


def _dial(path: Path) -> socket.socket:
    s = socket.socket(socket.AF_UNIX)
    try:
        s.settimeout(_WITHIN)
        if len(os.fsencode(path)) <= _LONGEST_NAME or sys.platform != "linux":
            s.connect(str(path))
            return s
        directory = os.open(path.parent, os.O_PATH)
        try:
            s.connect(f"/proc/self/fd/{directory}/{path.name}")
        finally:
            os.close(directory)
        return s
    except BaseException:
        s.close()
        raise


def _check_owner(s: socket.socket, path: Path) -> None:
    """A socket in a shared directory may be anybody's."""
    if sys.platform != "linux":
        return
    _, uid, _ = struct.unpack("3i", s.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    if os.geteuid() != 0 and uid not in (0, os.geteuid()):
        raise line_failed(f"the local socket {path} belongs to user {uid}", recoverable=False)


def _ack(s: socket.socket) -> dict[str, Any]:
    with s.makefile("rb") as lines:
        while line := lines.readline(_LONGEST_LINE):
            try:
                frame = json.loads(line)
                if frame["type"] == "ack":
                    ack: dict[str, Any] = frame["data"]
                    return ack
            except (ValueError, LookupError, TypeError):
                continue  # not for us
    raise OSError("it said nothing")


def _own_address(url: str) -> bool:
    """Whether an address is one of this machine's own: then a socket can be bound to it."""
    if urlsplit(url).scheme not in ("http", "https"):
        return False
    if this_machine(url):
        return True
    host = urlsplit(url).hostname or ""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.socket(family, socket.SOCK_DGRAM) as s:
            s.bind((socket.inet_ntop(family, socket.inet_pton(family, host)), 0))
        return True
    except OSError:
        return False
