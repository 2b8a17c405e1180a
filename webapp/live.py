"""Live pages poll; what has not changed costs one look at the version of the match."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

from flask import request
from flask_babel import get_locale
from werkzeug.wrappers import Response

from scorer.store import Found


def unchanged(found: Found, stages: str) -> tuple[str, Response | None]:
    """Return the mark of what this phone would be shown, and "not modified" if it shows that already."""
    etag = f"{found.id}-{found.version}-{int(found.may_edit)}-{get_locale()}-{stages}"
    if not request.if_none_match.contains_weak(etag):
        return etag, None
    response = Response(status=304)
    response.set_etag(etag)
    return etag, response


class Shared:
    """What all watching phones are shown alike, made once for each version of a match."""

    def __init__(self, most: int = 64) -> None:
        self._most = most
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, name: str, make: Callable[[], str]) -> str:
        """Return the text with this name; two phones that ask at once may both make it."""
        with self._lock:
            if name in self._texts:
                self._texts.move_to_end(name)
                return self._texts[name]
        text = make()
        with self._lock:
            self._texts[name] = text
            while len(self._texts) > self._most:
                self._texts.popitem(last=False)
        return text
