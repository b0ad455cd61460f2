# A socket that publishes drops what is over its limit, and says nothing: by default 1,000
# messages, which a loop fills before the server is given the processor. So the socket of
# the kernel's output has a higher one. Those that cells make are as usual.
import zmq

_socket = zmq.Context.socket


def _first(self, socket_type, *args, **kwargs):
    s = _socket(self, socket_type, *args, **kwargs)
    if socket_type in (zmq.PUB, zmq.XPUB):
        s.sndhwm = 100_000
        zmq.Context.socket = _socket
    return s


zmq.Context.socket = _first


# What people type at getpass() is not for records. The kernel remembers it from its
# beginning and for its whole life, and what is told of variables leaves it out.
from ipykernel.kernelbase import Kernel

_getpass = Kernel.getpass


def _remembered(self, *args, **kwargs):
    typed = _getpass(self, *args, **kwargs)
    if typed:
        self._clew_secrets.add(typed)
    return typed


Kernel.getpass = _remembered
Kernel._clew_secrets = set()
