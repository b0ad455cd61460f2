def clew(shell):
    import json

    # What people typed at getpass(): see ipython_kernel_config.py. A kernel that did not
    # read that does not know what is secret: this fails, and nothing is told of it.
    secrets = list(shell.kernel._clew_secrets)

    def secret(value):
        if type(value) is bytes:
            return any(s.encode("utf-8", "surrogatepass") in value for s in secrets)
        return any(s in value for s in secrets)

    def shape(value):
        if type(value).__module__.split(".")[0] in (
            "numpy",
            "pandas",
            "torch",
            "tensorflow",
            "jax",
            "jaxlib",
            "polars",
            "xarray",
            "scipy",
        ):
            try:
                return [int(n) for n in value.shape][:8]
            except Exception:
                return None
        if type(value) in (list, tuple, dict, set, frozenset, bytearray):
            return [len(value)]
        return None

    def brief(value):
        if value is None or type(value) in (bool, float, complex):
            return repr(value)
        if type(value) is int:
            if value.bit_length() < 256 and secret(str(value)):
                return "…"
            return repr(value) if value.bit_length() < 256 else "%d bits" % value.bit_length()
        if type(value) in (str, bytes) and secret(value):
            return "…"
        if type(value) in (str, bytes):
            return repr(value[:60]) + ("…" if len(value) > 60 else "")
        return None

    found = []
    names = shell.user_ns
    hidden = shell.user_ns_hidden
    for name in sorted(n for n in list(names) if type(n) is str and not n.startswith("_")):
        value = names.get(name)
        if (
            name in ("In", "Out", "exit", "quit", "get_ipython", "open")
            or (name in hidden and hidden[name] is value)
            or type(value).__name__ == "module"
        ):
            continue
        one = {"name": name[:100], "type": type(value).__name__[:100]}
        for key, got in (("shape", shape(value)), ("value", brief(value))):
            if got is not None:
                one[key] = got
        found.append(one)
        if len(found) == 200:
            break
    text = json.dumps(found, sort_keys=True)
    return type("Variables", (), {"__repr__": lambda self: text})()
