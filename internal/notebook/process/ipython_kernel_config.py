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
