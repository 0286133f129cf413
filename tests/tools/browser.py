# SPDX-License-Identifier: Apache-2.0
"""How do tests look at a report page? In a real browser without a window.

    with Browser() as browser:
        tab = browser.open("storm.html", width=360, dark=True)
        tab.hover("figure.lines svg.panel", 0.5)
        tab.evaluate("document.querySelector('.tooltip').textContent")
        assert not tab.errors and not tab.requests

Speaks the DevTools protocol over two pipes, so it needs neither a port nor a package. Nothing here
sleeps: it waits for an answer, or for a condition that the page itself reports.
"""

import base64
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PATIENCE = 30  # seconds until a browser that hangs fails the test
SKIP = 77  # ctest's SKIP_RETURN_CODE
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb",
         "--remote-debugging-pipe"]
KEYS = {"ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35, "Escape": 27, "Tab": 9}


def program():
    """The browser's path, or None."""
    named = os.environ.get("PERDURE_BROWSER")
    return named or shutil.which("chromium") or shutil.which("google-chrome")


def skip_without_browser():
    if program() is None:
        print("SKIPPED: no chromium here, so no page was looked at (Debian: chromium)")
        sys.exit(SKIP)


class Browser:
    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._number = 0
        self._answers = {}
        self._unread = b""
        self._tabs = {}
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()

        def plumb():
            # Via high numbers: one of the pipes may itself be 3 or 4.
            os.dup2(to_browser, 103)
            os.dup2(from_browser, 104)
            os.dup2(103, 3)
            os.dup2(104, 4)

        self._process = subprocess.Popen(
            [program(), *FLAGS, "--user-data-dir=" + self._folder.name, "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            close_fds=False, preexec_fn=plumb, start_new_session=True)
        os.close(to_browser)
        os.close(from_browser)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.send("Browser.close")
            self._process.wait(PATIENCE)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            pass
        try:
            os.killpg(self._process.pid, signal.SIGKILL)  # its own group: nobody else's processes
        except ProcessLookupError:
            pass
        self._process.wait()
        os.close(self._write)
        os.close(self._read)
        self._folder.cleanup()

    def open(self, path, width=1200, height=900, dark=False, script=True):
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = Tab(self, session, target)
        self._tabs[session] = tab
        tab.prepare(width, height, dark, script)
        tab.load(pathlib.Path(path).resolve().as_uri())
        return tab

    def send(self, method, session=None, **parameters):
        self._number += 1
        number = self._number
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._write, data):]
        self.turn_until(lambda: number in self._answers, method)
        answer = self._answers.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def turn_until(self, done, what):
        """Reads what the browser says until `done()`."""
        limit = time.monotonic() + PATIENCE
        while not done():
            left = limit - time.monotonic()
            if left <= 0 or not select.select([self._read], [], [], left)[0]:
                raise RuntimeError(f"no answer to {what} within {PATIENCE} s")
            data = os.read(self._read, 1 << 20)
            if not data:
                raise RuntimeError(f"the browser is gone, during {what}")
            *messages, self._unread = (self._unread + data).split(b"\0")
            for message in messages:
                self._take(json.loads(message))

    def _take(self, message):
        if "id" in message:
            self._answers[message["id"]] = message
        elif message.get("sessionId") in self._tabs:
            self._tabs[message["sessionId"]].take(message["method"], message["params"])


class Tab:
    """One page. `errors` is what its console complained about, `requests` what it asked for."""

    def __init__(self, browser, session, target):
        self._browser = browser
        self._session = session
        self._target = target
        self._loaded = False
        self.errors = []
        self.requests = []

    def send(self, method, **parameters):
        return self._browser.send(method, self._session, **parameters)

    def prepare(self, width, height, dark, script):
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(domain + ".enable")
        self.resize(width, height)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        self.send("Emulation.setScriptExecutionDisabled", value=not script)
        self.send("Emulation.setFocusEmulationEnabled", enabled=True)

    def load(self, address):
        self._loaded = False
        self._address = address
        self.send("Page.navigate", url=address)
        self._browser.turn_until(lambda: self._loaded, "loading " + address)

    def take(self, event, facts):
        if event == "Page.loadEventFired":
            self._loaded = True
        elif event == "Runtime.exceptionThrown":
            details = facts["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif event == "Runtime.consoleAPICalled" and facts["type"] in ("error", "assert", "warning"):
            self.errors.append(json.dumps(facts["args"]))
        elif event == "Log.entryAdded" and facts["entry"]["level"] in ("error", "warning"):
            self.errors.append(facts["entry"]["text"])
        elif event == "Network.requestWillBeSent" and facts["request"]["url"] != self._address:
            self.requests.append(facts["request"]["url"])

    def evaluate(self, expression):
        """The value of JavaScript; a promise is waited for."""
        answer = self.send("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def settle(self):
        """Two frames: what a pointer asked for is drawn in the first."""
        frame = "new Promise(done => requestAnimationFrame(() => done(1)))"
        self.evaluate(frame)
        self.evaluate(frame)

    def count(self, selector):
        return self.evaluate(f"document.querySelectorAll({json.dumps(selector)}).length")

    def text(self, selector):
        return self.evaluate(f"document.querySelector({json.dumps(selector)}).innerText")

    def texts(self, selector):
        found = f"[...document.querySelectorAll({json.dumps(selector)})]"
        return self.evaluate(found + ".map(element => element.innerText)")

    def resize(self, width, height=900):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def place(self, selector, across=0.5, down=0.5):
        """A point of an element that was scrolled into sight: [x, y]."""
        return self.evaluate(f"""(() => {{
            const element = document.querySelector({json.dumps(selector)});
            element.scrollIntoView({{block: "center", behavior: "instant"}});
            const box = element.getBoundingClientRect();
            return [box.left + box.width * {across}, box.top + box.height * {down}];
        }})()""")

    def hover(self, selector, across=0.5, down=0.5):
        x, y = self.place(selector, across, down)
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.settle()

    def click(self, selector, modifiers=0):
        x, y = self.place(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1,
                      modifiers=modifiers)
        self.settle()

    def tap(self, selector, across=0.5, down=0.5):
        x, y = self.place(selector, across, down)
        self.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.settle()

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                      windowsVirtualKeyCode=KEYS[key])
        self.settle()

    def screenshot(self, path, whole=True):
        answer = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        pathlib.Path(path).write_bytes(base64.b64decode(answer["data"]))

    def close(self):
        self._browser.send("Target.closeTarget", targetId=self._target)
