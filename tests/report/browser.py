# SPDX-License-Identifier: GPL-2.0-or-later
"""Chromium without a window, driven through its DevTools pipe.

Messages are JSON, each ended by a NUL; the browser reads file descriptor 3
and writes 4.  Nothing but the standard library is needed."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 120  # seconds for one answer: a bound, not a wait


def find():
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    def __init__(self, program):
        to_us, from_browser = os.pipe()
        to_browser, from_us = os.pipe()
        self.home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        # the two ends get the numbers the browser looks for
        shell = (f'exec 3<&{to_browser} 4>&{from_browser}; exec "$@"')
        self.process = subprocess.Popen(
            ["bash", "-c", shell, "chromium", program, "--headless=new",
             "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--disable-background-networking", "--no-first-run",
             "--hide-scrollbars", "--remote-debugging-pipe",
             f"--user-data-dir={self.home.name}"],
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.home.name})
        os.close(from_browser)
        os.close(to_browser)
        self.input, self.output = to_us, from_us
        self.buffer = b""
        self.number = 0
        self.session = None
        self.events = []

    def close(self):
        try:
            self.call("Browser.close", on_page=False)
        except (OSError, EOFError):
            pass
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        os.close(self.input)
        os.close(self.output)
        self.home.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def receive(self):
        while b"\0" not in self.buffer:
            if not select.select([self.input], [], [], PATIENCE)[0]:
                raise EOFError("the browser does not answer")
            part = os.read(self.input, 1 << 16)
            if not part:
                raise EOFError("the browser went away")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, on_page=True, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if on_page and self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method):
        while True:
            for i, event in enumerate(self.events):
                if event.get("method") == method:
                    return self.events.pop(i)
            self.events.append(self.receive())

    def open(self, path, width=1280, height=900, dark=False, script=True,
             scale=1):
        """Opens the file in a page of its own and waits until it is there."""
        if self.session:
            self.call("Target.closeTarget", on_page=False, targetId=self.target)
            self.session = None
        self.events = []
        self.target = self.call("Target.createTarget", on_page=False,
                                url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", on_page=False,
                                 targetId=self.target,
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Audits"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width,
                  height=height, deviceScaleFactor=scale, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme",
             "value": "dark" if dark else "light"}])
        self.call("Emulation.setScriptExecutionDisabled", value=not script)
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait_for("Page.loadEventFired")

    def js(self, expression):
        """The value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=expression,
                           returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:2000])
        return result["result"].get("value")

    def complaints(self):
        """What the page or the browser found wrong; hints on forms are not."""
        self.js("1")  # what is under way arrives before the answer
        wrong = ("Runtime.exceptionThrown", "Log.entryAdded",
                 "Audits.issueAdded", "Runtime.consoleAPICalled")
        return [e for e in self.events if e.get("method") in wrong and
                "GenericIssue" not in json.dumps(e)]

    def requests(self):
        self.js("1")
        return [e["params"]["request"]["url"] for e in self.events
                if e.get("method") == "Network.requestWillBeSent"]

    def screenshot(self, path, clip=None):
        """The whole page, or the element that the selector |clip| finds."""
        if clip:
            box = self.js("(() => { const r = document.querySelector("
                          f"{json.dumps(clip)}).getBoundingClientRect();"
                          "return { x: r.x + scrollX, y: r.y + scrollY,"
                          " width: r.width, height: r.height, scale: 1 }})()")
        else:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            box = {**size, "scale": 1}
        image = self.call("Page.captureScreenshot", format="png", clip=box,
                          captureBeyondViewport=True)
        with open(path, "wb") as f:
            f.write(base64.b64decode(image["data"]))

    def pdf(self, path):
        pages = self.call("Page.printToPDF", printBackground=True,
                          preferCSSPageSize=True)
        with open(path, "wb") as f:
            f.write(base64.b64decode(pages["data"]))
