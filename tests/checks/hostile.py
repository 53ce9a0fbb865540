"""Objects that raise whatever is asked of them."""


class SilentError(Exception):
    def __str__(self):
        raise RuntimeError


class Hostile:
    def __array__(self, *args, **kwargs):
        raise RuntimeError

    def __eq__(self, other):
        return True

    def __getattr__(self, name):
        raise RuntimeError(name)

    __hash__ = None


class HostileCall(Hostile):
    def __call__(self, a, b):
        raise SilentError


class HostileTuple(tuple):
    def __len__(self):
        raise SystemExit

    __iter__ = __len__
