"""The client of clew, the session server for AI agents."""

from .answer import Answer, wants_value, words_of
from .ask import AskEvent, Asking, QuestionEvent, ResultEvent, TextEvent, ToolEvent
from .client import Client
from .errors import ClewError, Close
from .link import Connection, Patience
from .local import Place
from .notebook import CellEvent, Notebook, OutputEvent, RunEvent, Running
from .outbox import Receipt
from .plain import plain
from .records import Records
from .retry import Retry
from .session import Session
from .state import State

__all__ = [
    "Answer",
    "AskEvent",
    "Asking",
    "CellEvent",
    "ClewError",
    "Client",
    "Close",
    "Connection",
    "Notebook",
    "OutputEvent",
    "Patience",
    "Place",
    "QuestionEvent",
    "Receipt",
    "Records",
    "ResultEvent",
    "Retry",
    "RunEvent",
    "Running",
    "Session",
    "State",
    "TextEvent",
    "ToolEvent",
    "plain",
    "wants_value",
    "words_of",
]
