"""How the browser is opened: by a private file that leads on, so that no token is an argument of any process."""

from __future__ import annotations

import json
import webbrowser
from pathlib import Path
from threading import Thread

from shoal.core.atomic_files import put_text, replacing
from shoal.web.guard import KNOWN, LOOPBACK, Guard

FILE = "open.html"
PAGE = """<!doctype html>
<meta charset="utf-8"><title>shoal</title>
<p>Opening shoal …</p>
<noscript><p><a href="{fallback}">Open shoal</a></p></noscript>
<script>
  const probe = new Image();
  probe.onload = () => location.replace({address});
  probe.onerror = () => location.replace({other});
  probe.src = {known};
</script>
"""
"""It goes to the random name where the browser knows that, else to the number."""


def open_browser(door: Guard, folder: Path) -> Path:
    """Open the page in the browser, by a file in a private folder; return the file."""
    address, fallback = door.address(), door.address(LOOPBACK)
    known = f"http://{door.name}:{door.port}{KNOWN}"
    words = {"address": json.dumps(address), "other": json.dumps(fallback), "known": json.dumps(known)}
    path = folder / FILE
    with replacing(path) as beside:
        beside.touch(mode=0o600)
        put_text(beside, PAGE.format(fallback=fallback, **words))
    path.chmod(0o600)
    Thread(target=webbrowser.open, args=(path.as_uri(),), daemon=True).start()  # some browsers return when they end
    return path
