"""Agents from notebooks: ``%load_ext clew.magics``, then ``%clew`` and ``%%clew``."""

from __future__ import annotations

import argparse
import io
import os
import shlex
import sys
from collections.abc import Callable
from contextlib import closing
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class

from .answer import Answer, wants_value, words_of
from .ask import QuestionEvent, ResultEvent, TextEvent, ToolEvent
from .background import Background
from .client import Client
from .errors import ClewError
from .plain import plain
from .session import Session
from .types import Question

# The kernels and commands that a clew server starts have this. They reach no server.
_OURS = "CLEW_CALL"
_BESIDE = "clew runs this notebook already: write to the agent on its page, beside the cells"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise UsageError(f"{message}\n{self.format_usage()}")

    def exit(self, status: int = 0, message: str | None = None) -> Any:
        raise UsageError(message or "")  # after --help


def _parser() -> _Parser:
    p = _Parser(prog="%clew", description="Give an agent something to do.", allow_abbrev=False)
    p.add_argument("--session", "-s", help="talk in the session with this id from now on")
    p.add_argument("--new", "-n", action="store_true", help="begin a new session")
    p.add_argument("--workspace", "-w", help="where the new session works, if not in the directory of the notebook")
    p.add_argument("--server", help="address of the server; CLEW_TOKEN has its token")
    p.add_argument("--timeout", "-t", type=float, help="seconds after which the work is cancelled")
    p.add_argument("--out", "-o", metavar="NAME", help="store the result in this variable")
    p.add_argument("text", nargs="*", help="what to do")
    return p


@magics_class
class ClewMagics(Magics):  # type: ignore[misc, unused-ignore]
    """One connection and one session for each kernel, until another one is asked for."""

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self._parser = _parser()
        self.shell: Any = shell
        self._background: Background | None = None
        self._client: Client | None = None
        self._session: Session | None = None

    @line_cell_magic  # type: ignore[untyped-decorator, unused-ignore]
    def clew(self, line: str, cell: str | None = None) -> None:
        """Gives an agent something to do; its answer streams into the output of the cell.

        %clew What is in df.csv?           %%clew --new
                                           Several lines,
                                           as they are.

        Questions are asked by input(). Interrupting the cell cancels the work. Without words it
        says where it is connected. %clew --help lists the options.
        """
        options, text = self._read(line)
        if cell is not None:
            text = f"{text}\n{cell}" if text else cell
        try:
            self._choose(options)
            if text.strip():
                self._ask(text, options)
            elif cell is None:
                self._tell()
        except ClewError as e:
            # A notebook shows the error and no traceback of the client.
            if e.code == "CONNECTION_FAILED" and _OURS in os.environ:
                raise UsageError(f"{e.code}: {_BESIDE}") from None
            raise UsageError(f"{e.code}: {plain(e.message)}") from None

    def close(self) -> None:
        """Ends the connection and its thread."""
        self._leave()
        background, self._background = self._background, None
        if background is not None:
            background.stop()

    def _read(self, line: str) -> tuple[argparse.Namespace, str]:
        """The options, which come first, and the words after them, as they are."""
        if line.split()[:1] == ["--help"]:
            raise UsageError(self._parser.format_help())
        words, rest = [], line.strip()
        while rest.startswith("-"):
            word, _, rest = rest.partition(" ")
            words.append(word)
            rest = rest.lstrip()
            if word == "--":
                break
            if "=" not in word and word not in ("--new", "-n"):
                value, rest = _first_word(rest)
                words.append(value)
        return self._parser.parse_args(words), rest

    def _choose(self, options: argparse.Namespace) -> None:
        """Takes the server and the session that are asked for."""
        if self._background is None:
            self._background = Background()
        if self._client is None or options.server:
            self._leave()
            server = options.server and (options.server if "://" in options.server else f"http://{options.server}")
            self._client = Client(server, os.environ.get("CLEW_TOKEN")) if server else Client()
        if options.session or options.new or options.workspace:
            self._leave()
        if self._session is None and options.session:
            self._connect(options.session)

    def _connect(self, session_id: str) -> None:
        assert self._background is not None and self._client is not None
        session = self._client.session(session_id)
        self._background.run(session.connect())
        self._session = session

    def _leave(self) -> None:
        session, self._session = self._session, None
        if session is not None and self._background is not None:
            self._background.run(session.close())

    def _opened(self, text: str, options: argparse.Namespace) -> Session:
        """The session to talk in: the one there is, or a new one in the notebook's directory."""
        assert self._background is not None and self._client is not None
        if self._session is None:
            place = self._background.run(self._client.place())
            workspace = options.workspace or (os.getcwd() if place.sees_files else None)
            title = plain(" ".join(text.split())[:60])
            made = self._client.create_session(title=title, workspace=workspace)
            self._connect(self._background.run(made))
        assert self._session is not None
        if self._session.connection.state in ("failed", "disconnected"):
            self._background.run(self._session.connect())
        return self._session

    def _tell(self) -> None:
        assert self._background is not None and self._client is not None
        place = self._background.run(self._client.place())
        print(f"server   {place.url}")
        if self._session is None:
            print("session  none yet; %clew WORDS begins one, %clew --session ID opens one")
            return
        print(f"session  {self._session.id}  {plain(self._session.state.session['title'])}")
        print(f"state    {self._session.state.status['status']}, {self._session.connection.state}")

    def _ask(self, text: str, options: argparse.Namespace) -> None:
        assert self._background is not None
        session = self._opened(text, options)
        asking = session.ask(text, timeout=options.timeout, cancel_on_exit=True)
        page = _Page(sys.stdout.write)
        with closing(self._background.events(asking)) as events:
            for event in events:
                if isinstance(event, TextEvent):
                    page.words(event)
                elif isinstance(event, ToolEvent):
                    tool = event.tool
                    page.line(f"[{tool['name']} {tool.get('target', '')}: {tool['status']}]")
                elif isinstance(event, QuestionEvent):
                    page.end()
                    self._answer(event)
                else:
                    self._result(event, page, options)

    def _answer(self, event: QuestionEvent) -> None:
        """Asks the person at the notebook. A question that nobody can be asked waits."""
        assert self._background is not None
        words = plain(words_of(event.question))
        try:
            answer = _asked(event.question, words)
        except (EOFError, NotImplementedError):  # nobody is there: the kernel has no stdin
            print(f"{words}\nnobody can be asked here; answer in the inbox: clew inbox")
            return
        try:
            self._background.run(event.answer(answer))
        except ClewError as e:
            if e.code != "HITL_REQUEST_EXPIRED":
                raise
            print("somebody else has answered")

    def _result(self, event: ResultEvent, page: _Page, options: argparse.Namespace) -> None:
        status = event.outcome["status"]
        page.end()
        if options.out:
            self.shell.push({options.out: event})
        if status != "done":
            why = plain(event.outcome.get("message", ""))
            raise UsageError(f"the work ended: {status}{': ' if why else ''}{why}")


class _Page:
    """Writes what an agent does, so that each thing begins on a line of its own."""

    def __init__(self, write: Callable[[str], Any]) -> None:
        self._write = write
        self._message = ""  # whose words stand last
        self._open = False  # the last line has no end

    def words(self, event: TextEvent) -> None:
        if event.message_id != self._message:
            self.end()
        elif event.again:
            self.line("[the model began anew]")
        self._message = event.message_id
        text = plain(event.text)
        self._write(text)
        sys.stdout.flush()
        self._open = not text.endswith("\n")

    def line(self, text: str) -> None:
        self.end()
        self._write(plain(text) + "\n")
        sys.stdout.flush()

    def end(self) -> None:
        if self._open:
            self._write("\n")
        self._open, self._message = False, ""


def _asked(question: Question, words: str) -> Answer:
    # The words are a part of the prompt: what is printed may be shown later than the prompt,
    # and nobody should approve what they have not seen.
    if wants_value(question):
        return Answer(value=_value(question, input(f"{words}\nanswer: ")))
    said = input(f"{words}\napprove? [y/N] ").strip()
    if said.lower() in ("y", "yes"):
        return Answer("approve")
    return Answer("reject", comment="" if said.lower() in ("", "n", "no") else said)


def _value(question: Question, said: str) -> Any:
    """What was typed, as the kind of value that is asked for."""
    kind = str(question.get("input_type", "text"))
    said = said.strip()
    if kind == "boolean":
        return said.lower() in ("y", "yes", "true", "1")
    if kind == "number":
        try:
            return int(said) if said.lstrip("-").isdecimal() else float(said)
        except ValueError:
            return said  # the server says what is wrong with it
    return said


def _first_word(text: str) -> tuple[str, str]:
    """The first word of a line, which may be in quotes, and the rest."""
    source = io.StringIO(text)
    lexer = shlex.shlex(source, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        word = lexer.get_token() or ""
    except ValueError:
        raise UsageError("a quote has no end") from None
    return word, source.read().lstrip()


def load_ipython_extension(shell: Any) -> None:
    """Called by %load_ext."""
    shell.register_magics(ClewMagics(shell))


def unload_ipython_extension(shell: Any) -> None:
    """Called by %unload_ext: the connection ends."""
    magics = shell.magics_manager.registry.pop("ClewMagics", None)
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("clew", None)
    if magics is not None:
        magics.close()
