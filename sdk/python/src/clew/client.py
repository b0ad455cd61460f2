"""The way to a clew server."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import Any

from .errors import ClewError
from .link import Patience, this_machine
from .local import Place, find
from .records import Records
from .server import Server, Token, fixed, new_id
from .session import Session


class Client:
    """A server and the credentials for it.

    ``Client("https://clew.example", token)`` names it. ``Client()`` is the server of this
    machine, found as the command line finds it: by CLEW_SERVER and CLEW_TOKEN, or by the local
    socket in the data directory. It holds nothing open; sessions do.
    """

    def __init__(
        self,
        url: str | None = None,
        token: Token = None,
        *,
        data: str | os.PathLike[str] | None = None,
        patience: Patience | None = None,
    ) -> None:
        """``token`` is the owner token, an API key or a JWT, or a function that gives one and is
        asked for each connection. ``data`` is the data directory of a local server, if it is
        not the usual one."""
        if url is not None:
            url = url.rstrip("/")
            if not url.startswith(("http://", "https://")):
                raise ValueError(f"not an http or https address: {url}")
            where = fixed(url, token, sees_files=this_machine(url))
        else:
            if token is not None:
                raise ValueError("a token is for the server at an address: give url, too")

            async def where() -> Place:
                return await asyncio.to_thread(find, data)

        self._server = Server(where, renewable=callable(token) or url is None, patience=patience or Patience())

    async def place(self) -> Place:
        """Where the server is now."""
        return await self._server.find()

    async def create_session(self, *, title: str = "", workspace: str | os.PathLike[str] | None = None) -> str:
        """Makes a session and gives its id. ``workspace`` is the directory to work in, on the
        server's machine. A server that is away meanwhile is waited for, and makes one session."""
        session_id = "sess_" + new_id()
        body = {"session_id": session_id}
        if title:
            body["title"] = title
        if workspace is not None:
            body["workspace"] = os.fspath(workspace)
        tries = 0

        async def create() -> None:
            nonlocal tries
            tries += 1
            try:
                await self._server.request("POST", "/sessions", body)
            except ClewError as e:
                if tries == 1 or e.code != "SESSION_EXISTS":
                    raise  # else the try before made it, and its answer was lost

        await self._server.patient(create)
        return session_id

    def session(self, session_id: str, *, client_id: str | None = None, message_limit: int = 20_000) -> Session:
        """The session of this id, to be connected: ``async with client.session(id) as s``.
        ``client_id`` tells connections apart; the newest one with the same takes over."""
        return Session(self._server, session_id, client_id=client_id, message_limit=message_limit)

    def records(
        self, session_id: str, *, resume_from: str | None = None, epoch: str = "", client_id: str | None = None
    ) -> Records:
        """The records of a session: after ``resume_from``, a message id or ``start`` for all that
        ever happened, or else from now on. ``epoch`` is that of ``resume_from``."""
        return Records(self._server, session_id, resume_from=resume_from, epoch=epoch, client_id=client_id)

    async def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, Any] | None = None,
        timeout: float = 30.0,
    ) -> Any:
        """Calls any route of the REST API below /api/v1, and gives its JSON."""
        return await self._server.request(method, path, body, query=query, timeout=timeout)
