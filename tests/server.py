"""A Jupyter server in a process of its own, and how to talk to its kernels."""

import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import uuid

import matplotlib
import nbformat
import websocket


class Server:
    """JupyterLab as `python -m course lab` serves it in `checkout`, or another program there."""

    def __init__(self, checkout, home, command=("course", "lab", "--port", "{port}"), **variables):
        self.log = (checkout / "log.txt").open("w+")
        self.port = free_port()
        environment = dict(
            os.environ, HOME=str(home), BROWSER="none", MPLCONFIGDIR=matplotlib.get_cachedir()
        )
        environment |= {name: str(value) for name, value in variables.items()}
        self.process = subprocess.Popen(
            [sys.executable, "-m", *(part.format(port=self.port) for part in command)],
            cwd=checkout,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=subprocess.STDOUT,
        )
        self.token = self._token(checkout / "my" / ".jupyter" / "runtime")

    def _token(self, runtime):
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline and self.process.poll() is None:
            for path in runtime.glob("jpserver-*.json"):
                if (text := path.read_text()) and self._listens():
                    return json.loads(text)["token"]
            time.sleep(0.1)
        self.stop()
        words = self.words()
        self.log.close()
        raise AssertionError(f"the server did not start:\n{words}")

    def _listens(self):
        """Tell whether it takes connections: it writes down its token a moment earlier."""
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def words(self):
        self.log.seek(0)
        return self.log.read()

    def request(self, path, body=None, method=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"token {self.token}"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.read().decode()

    def run(self, lesson):
        """Run a lesson's code cells in a kernel of this server; return their error outputs."""
        path = f"my/{lesson}"
        notebook = nbformat.from_dict(json.loads(self.request(f"/api/contents/{path}"))["content"])
        session = {"path": path, "name": lesson, "type": "notebook", "kernel": {"name": "python3"}}
        kernel = json.loads(self.request("/api/sessions", session))["kernel"]["id"]
        address = f"ws://127.0.0.1:{self.port}/api/kernels/{kernel}/channels?token={self.token}"
        channels = websocket.create_connection(address, timeout=120)
        try:
            return [
                error
                for cell in notebook.cells
                if cell.cell_type == "code"
                and "raises-exception" not in cell.metadata.get("tags", [])
                and (error := execute(channels, cell.source))
            ]
        finally:
            channels.close()

    def kill(self):
        """End it at once, as when a machine is switched off."""
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Press Ctrl-C, and wait until it has ended."""
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(30)
        finally:
            self.kill()


def free_port():
    """Return a port that nobody has, and that no system gives to who asks for any one."""
    while True:
        port = random.SystemRandom().randrange(20_000, 32_000)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


def execute(channels, code):
    """Send `code` to a kernel; wait until it is done; return its traceback, or None."""
    request = {"msg_id": uuid.uuid4().hex, "msg_type": "execute_request", "version": "5.3"}
    request |= {"username": "", "session": uuid.uuid4().hex}
    content = {"code": code, "silent": False, "store_history": True, "stop_on_error": True}
    message = {"channel": "shell", "header": request, "parent_header": {}, "metadata": {}}
    channels.send(json.dumps(message | {"content": content}))
    error = None
    while True:
        answer = json.loads(channels.recv())
        if answer["parent_header"].get("msg_id") != request["msg_id"]:
            continue
        if answer["msg_type"] == "error":
            error = "\n".join(answer["content"]["traceback"])
        if answer["msg_type"] == "status" and answer["content"]["execution_state"] == "idle":
            return error
