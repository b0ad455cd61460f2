"""The real server, on one directory and one port over all its lives."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from clew import Client, Patience, Retry

ROOT = Path(__file__).resolve().parents[3]
SRC = str(ROOT / "sdk" / "python" / "src")  # the client as it is here

# The rates are off: a test would reach them at once.
_USUAL = {
    "CLEW_LIMITS_CONNECTS_PER_MINUTE": "0",
    "CLEW_LIMITS_LOCAL_CONNECTS_PER_MINUTE": "0",
    "CLEW_LIMITS_MESSAGES_PER_MINUTE": "0",
    "CLEW_LIMITS_HITL_PER_MINUTE": "0",
    "CLEW_LIMITS_REQUESTS_PER_MINUTE": "0",
    "CLEW_LOG_LEVEL": "warn",
    "CLEW_SECRETS_BACKEND": "file",
}

# Soon, and for as long as the test lasts.
PATIENT = Patience(retry=Retry(max_retries=10_000, initial_delay=0.02, max_delay=0.1))


def build(directory: Path) -> Path:
    """The server's program. CLEW_E2E_PROGRAM names one that is there, and newer than its sources."""
    made = os.environ.get("CLEW_E2E_PROGRAM")
    if made:
        subprocess.run([ROOT / "tools" / "fresh", made], cwd=ROOT, check=True)
        return Path(made)
    program = directory / "clew"
    subprocess.run(["go", "build", "-o", program, "./cmd/clew"], cwd=ROOT, check=True)
    return program


def clean_environment() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if not re.match(r"(CLEW|ANTHROPIC|OPENAI)_", k)}


def hear_ctrl_c() -> None:
    """For a child that is to end at Ctrl-C: what a shell starts in its background ignores
    it, and so does all that is started below."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


class Program:
    def __init__(self, program: Path, settings: dict[str, Any], hosts: str = "") -> None:
        self.dir = Path(tempfile.mkdtemp(prefix="clew-py-"))
        self.port = free_port()
        self.data = self.dir / "data"
        self._program = program
        self._env = {**clean_environment(), **_USUAL, "CLEW_SETTINGS": str(self.dir / "settings.json")}
        # The Python of the tests has a kernel for notebooks.
        self._env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{self._env['PATH']}"
        if hosts:
            self._env["CLEW_HOSTS"] = hosts
        (self.dir / "settings.json").write_text(json.dumps(settings))
        self._log = self.dir / "log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def token(self) -> str:
        return (self.data / "token").read_text().strip()

    def start(self) -> None:
        line = [str(self._program), "serve", "--listen", f"127.0.0.1:{self.port}", "--data", str(self.data)]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(line, env=self._env, stdout=log, stderr=log)
        end = time.monotonic() + 60
        while time.monotonic() < end and self._process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/readyz", timeout=5):
                    return
            except OSError:
                time.sleep(0.02)
        raise RuntimeError(f"the server is not ready:\n{self._log.read_text()[-5000:]}")

    def kill(self) -> None:
        """kill -9; returns when it is gone."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    async def restart(self) -> None:
        """kill -9 and a new start."""
        self.kill()
        await asyncio.to_thread(self.start)

    def end(self) -> None:
        self.kill()
        shutil.rmtree(self.dir)

    def client(self, url: str | None = None, patience: Patience = PATIENT) -> Client:
        return Client(url or self.url, self.token, patience=patience)


def free_port() -> int:
    """A port below those that the system gives to clients: one that looks for a server that is
    away could get its port for itself."""
    while True:
        port = random.randrange(15_000, 30_000)
        with socket.socket() as s:
            try:
                s.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
