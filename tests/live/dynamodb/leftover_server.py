# SPDX-License-Identifier: Apache-2.0
"""Stands before a DynamoDB server and does only a part of each batch, as a busy table would.

    leftover_server.py --port 8001 --to 8000 [--every 2] [--leaves 7]

Of every second BatchWriteItem and BatchGetItem that has more than `leaves` entries, that many are not
passed on but come back as UnprocessedItems or UnprocessedKeys. Everything else goes through as it is.
GET /left says how many entries were left so far.
"""
import argparse
import http.client
import http.server
import itertools
import json
import threading
import zlib


class Door(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    options = None
    batches = itertools.count(1)
    left = 0
    lock = threading.Lock()

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer(200, str(self.left).encode(), {})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        operation = self.headers.get("x-amz-target", "").rpartition(".")[2]
        rest, name = None, ""
        if operation in ("BatchWriteItem", "BatchGetItem"):
            body, rest = self.parted(operation, json.loads(body))
            name = "UnprocessedItems" if operation == "BatchWriteItem" else "UnprocessedKeys"
        status, said, headers = self.ask(body)
        if rest and status == 200:
            answer = json.loads(said)
            for table, entries in rest.items():
                answer.setdefault(name, {})[table] = entries
            said = json.dumps(answer).encode()
            headers["x-amz-crc32"] = str(zlib.crc32(said))
        self.answer(status, said, headers)

    def parted(self, operation, request):
        """The request to pass on, and what is left of it by table."""
        rest = {}
        with self.lock:
            chosen = next(self.batches) % self.options.every == 0
        for table, entries in request["RequestItems"].items():
            entry_list = entries if operation == "BatchWriteItem" else entries["Keys"]
            if not chosen or len(entry_list) <= self.options.leaves:
                continue
            taken = [entry_list.pop() for _ in range(self.options.leaves)]
            rest[table] = taken if operation == "BatchWriteItem" else {**entries, "Keys": taken}
            with self.lock:
                Door.left += len(taken)
        return json.dumps(request).encode(), rest

    def ask(self, body):
        server = http.client.HTTPConnection("127.0.0.1", self.options.to)
        names = ("x-amz-target", "x-amz-date", "authorization", "content-type", "x-amz-security-token")
        server.request("POST", "/", body, {name: self.headers[name] for name in names if name in self.headers})
        reply = server.getresponse()
        said = reply.read()
        server.close()
        kept = ("content-type", "x-amzn-requestid", "x-amz-crc32")
        return reply.status, said, {n.lower(): v for n, v in reply.getheaders() if n.lower() in kept}

    def answer(self, status, body, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--to", type=int, required=True)
    parser.add_argument("--every", type=int, default=2)
    parser.add_argument("--leaves", type=int, default=7)
    Door.options = parser.parse_args()
    http.server.ThreadingHTTPServer.daemon_threads = True
    http.server.ThreadingHTTPServer.request_queue_size = 128
    http.server.ThreadingHTTPServer(("127.0.0.1", Door.options.port), Door).serve_forever()


if __name__ == "__main__":
    main()
