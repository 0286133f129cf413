# SPDX-License-Identifier: Apache-2.0
"""A service on the loopback that believes no signature: it works out each one anew.

    verifying_server.py --port 8000 --key AKID --secret S [--token T] [--region us-east-1]
                        [--clock-offset SECONDS]

POST / is judged as DynamoDB judges it, in the same order: date, expiry, signed host, algorithm, scope,
key, signature, token. What passes is answered with an item (GetItem) or with {}. GET /requests gives
what came so far, a list of {headers, verdict}, oldest first.

The signature is computed here from the bytes received with hmac and hashlib alone, so that nothing of
the client's own code vouches for it. With a clock offset this server's time is another: its Date
header shows it, and a request signed with the right time is refused.
"""
import argparse
import datetime
import email.utils
import hashlib
import hmac
import http.server
import json
import re
import threading
import zlib

WINDOW = datetime.timedelta(minutes=15)
UTC = datetime.timezone.utc
FORM = "%Y%m%dT%H%M%SZ"


def mac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def squeezed(value):
    return re.sub(" +", " ", value.strip())


class Refusal(Exception):
    def __init__(self, name, message, status=400):
        super().__init__(message)
        self.name, self.message, self.status = name, message, status


def signature_refused(message):
    return Refusal("InvalidSignatureException", message)


class Judge:
    def __init__(self, options):
        self.options = options
        self.offset = datetime.timedelta(seconds=options.clock_offset)

    def now(self):
        return datetime.datetime.now(UTC) + self.offset

    def verify(self, method, path, headers, body):
        """Raises a Refusal unless the request is signed as it should be."""
        given = headers.get("authorization")
        if not given:
            raise Refusal("MissingAuthenticationTokenException", "Request is missing Authentication Token")
        self.verify_date(headers.get("x-amz-date", ""))
        parts = self.parts_of(given)
        signed = parts["SignedHeaders"].split(";")
        if "host" not in signed:
            raise signature_refused("'Host' must be a 'SignedHeader' in the AWS Authorization.")
        for name in headers:
            if name.startswith("x-amz-") and name not in signed:
                raise signature_refused(f"'{name}' is sent and not signed.")
        if signed != sorted(signed) or any(name not in headers for name in signed):
            raise signature_refused("The signed headers are not sorted, or not all there.")
        scope = self.verify_scope(parts["Credential"], headers["x-amz-date"])
        expected = self.signature(method, path, headers, body, signed, scope)
        if not hmac.compare_digest(expected, parts["Signature"]):
            raise signature_refused(
                "The request signature we calculated does not match the signature you provided. "
                "Check your AWS Secret Access Key and signing method. Consult the service "
                "documentation for details.")
        if headers.get("x-amz-security-token", "") != self.options.token:
            raise Refusal("UnrecognizedClientException",
                          "The security token included in the request is invalid.")

    def verify_date(self, text):
        try:
            date = datetime.datetime.strptime(text, FORM).replace(tzinfo=UTC)
        except ValueError:
            raise signature_refused(f"Date must be in ISO-8601 'basic format'. Got '{text}'.") from None
        now = self.now()
        if date < now - WINDOW:
            limit = (now - WINDOW).strftime(FORM)
            raise signature_refused(f"Signature expired: {text} is now earlier than {limit} "
                                    f"({now.strftime(FORM)} - 15 min.)")
        if date > now + WINDOW:
            limit = (now + WINDOW).strftime(FORM)
            raise signature_refused(f"Signature not yet current: {text} is still later than {limit} "
                                    f"({now.strftime(FORM)} + 15 min.)")

    @staticmethod
    def parts_of(given):
        algorithm, _, rest = given.partition(" ")
        parts = dict(part.split("=", 1) for part in rest.split(", ") if "=" in part)
        if algorithm != "AWS4-HMAC-SHA256" or set(parts) != {"Credential", "SignedHeaders", "Signature"}:
            raise Refusal("IncompleteSignatureException",
                          "Authorization header requires algorithm, Credential, SignedHeaders, Signature.")
        return parts

    def verify_scope(self, credential, date):
        parts = credential.split("/")
        if len(parts) != 5:
            raise Refusal("IncompleteSignatureException", "Credential must have exactly 5 elements.")
        key, *scope = parts
        if scope != [date[:8], self.options.region, "dynamodb", "aws4_request"]:
            raise signature_refused("Credential should be scoped to a valid region, service, "
                                    f"terminator and date, not '{'/'.join(scope)}'.")
        if key != self.options.key:
            raise Refusal("UnrecognizedClientException",
                          "The security token included in the request is invalid.")
        return scope

    def signature(self, method, path, headers, body, signed, scope):
        lines = "".join(f"{name}:{squeezed(headers[name])}\n" for name in signed)
        canonical = "\n".join([method, path, "", lines, ";".join(signed), hashlib.sha256(body).hexdigest()])
        digest = hashlib.sha256(canonical.encode()).hexdigest()
        text = "\n".join(["AWS4-HMAC-SHA256", headers["x-amz-date"], "/".join(scope), digest])
        key = ("AWS4" + self.options.secret).encode()
        for part in scope:
            key = mac(key, part)
        return mac(key, text).hex()


class Door(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # head and body leave in one piece
    judge = None
    seen = []
    lock = threading.Lock()

    def log_message(self, *_):
        pass

    def do_GET(self):
        with self.lock:
            self.answer(200, self.seen)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        headers = {}
        for name, value in self.headers.items():
            name = name.lower()
            headers[name] = f"{headers[name]},{value}" if name in headers else value
        status, said = 200, {}
        try:
            self.judge.verify(self.command, self.path, headers, body)
            if headers.get("x-amz-target") == "DynamoDB_20120810.GetItem":
                said = {"Item": {"pk": {"S": "o#1"}, "n": {"N": "42"}}}
        except Refusal as refusal:
            status = refusal.status
            said = {"__type": f"com.amazon.coral.service#{refusal.name}", "message": refusal.message}
        with self.lock:
            self.seen.append({"headers": headers, "verdict": said.get("__type", "good").split("#")[-1]})
        self.answer(status, said)

    def answer(self, status, said):
        body = json.dumps(said, separators=(",", ":")).encode()
        self.send_response_only(status)
        self.send_header("Date", email.utils.format_datetime(self.judge.now(), usegmt=True))
        self.send_header("Content-Type", "application/x-amz-json-1.0")
        self.send_header("x-amzn-RequestId", "VERIFIED" + "0" * 42)
        self.send_header("x-amz-crc32", str(zlib.crc32(body)))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--key", required=True)
    parser.add_argument("--secret", required=True)
    parser.add_argument("--token", default="")
    parser.add_argument("--region", default="us-east-1")
    parser.add_argument("--clock-offset", type=float, default=0)
    Door.judge = Judge(parser.parse_args())
    http.server.ThreadingHTTPServer.daemon_threads = True
    http.server.ThreadingHTTPServer(("127.0.0.1", Door.judge.options.port), Door).serve_forever()


if __name__ == "__main__":
    main()
