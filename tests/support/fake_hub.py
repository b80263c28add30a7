"""A model hub on loopback that keeps what is uploaded, with the requests of huggingface_hub."""

from __future__ import annotations

import base64
import hashlib
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "0" * 40


class FakeHub(BaseHTTPRequestHandler):
    """Answers `create_repo`, `upload_folder` and `hf_hub_download`; `server.files` are the uploaded files."""

    protocol_version = "HTTP/1.1"

    def _answer(self, body: bytes, code: int = 200, **headers: str) -> None:
        self.send_response(code)
        for name, value in {"Content-Length": str(len(body)), "X-Repo-Commit": COMMIT, **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _json(self, value: object, code: int = 200) -> None:
        self._answer(json.dumps(value).encode(), code, Content_Type="application/json")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path.endswith("/api/repos/create"):
            self._json({"url": f"{self.server.url}/me/model", "name": "me/model", "id": "me/model"})
        elif "/preupload/" in self.path:
            files = json.loads(body)["files"]
            self._json({"files": [{"path": x["path"], "uploadMode": "regular", "shouldIgnore": False} for x in files]})
        elif "/commit/" in self.path:
            for line in map(json.loads, body.splitlines()):
                if line["key"] == "file":
                    self.server.files[line["value"]["path"]] = base64.b64decode(line["value"]["content"])
            url = f"{self.server.url}/me/model/commit/{COMMIT}"
            self._json({"success": True, "commitOid": COMMIT, "commitUrl": url, "hookOutput": ""})
        else:
            self._json({"success": True, "valid": True})

    def do_GET(self) -> None:
        _, is_file, name = self.path.partition(f"/resolve/{'main' if '/main/' in self.path else COMMIT}/")
        if not is_file:
            siblings = [{"rfilename": name} for name in self.server.files]
            self._json({"id": "me/model", "sha": COMMIT, "siblings": siblings, "private": False, "tags": []})
        elif name in self.server.files:
            content = self.server.files[name]
            self._answer(content, ETag=f'"{hashlib.sha1(content).hexdigest()}"')
        else:
            self._answer(b"", 404, X_Error_Code="EntryNotFound")

    do_HEAD = do_GET

    def log_message(self, *arguments: object) -> None:
        self.server.requests.append(f"{self.command} {self.path}")


def start() -> ThreadingHTTPServer:
    server = ThreadingHTTPServer(("127.0.0.1", 0), FakeHub)
    server.url = f"http://127.0.0.1:{server.server_port}"
    server.files, server.requests = {}, []
    return server
