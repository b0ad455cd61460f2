def clew(shell):
    import json
    import sys
    import threading

    found = None
    frame = sys._current_frames().get(threading.main_thread().ident)
    while frame is not None and found is None:
        if frame.f_code.co_name == "_input_request":
            found = {
                "prompt": str(frame.f_locals.get("prompt", ""))[:2000],
                "password": bool(frame.f_locals.get("password", False)),
            }
        frame = frame.f_back
    text = json.dumps(found)
    return type("Waiting", (), {"__repr__": lambda self: text})()
