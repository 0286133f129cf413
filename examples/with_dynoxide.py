# SPDX-License-Identifier: Apache-2.0
"""Runs a program beside a DynamoDB of its own: dynoxide, in memory, on a free port of this machine.

    with_dynoxide.py NPM_HOME PROGRAM [ARGUMENT…]

The program finds it by AWS_ENDPOINT_URL_DYNAMODB, and nothing else of AWS's in its environment. Where
there is no dynoxide (scripts/setup test installs it) this says so and ends with 77: skipped.
"""

import hashlib
import os
import pathlib
import socket
import subprocess
import sys
import time

NAME = "@dynoxide/linux-x64/dynoxide"
CHECKSUMS = pathlib.Path(__file__).resolve().parents[1] / "tests/live/npm/checksums.txt"


def checked(modules):
    """The program below a folder node_modules. Ends this one if it is not the file that CHECKSUMS lists."""
    program = pathlib.Path(modules) / NAME
    line = f"{hashlib.sha256(program.read_bytes()).hexdigest()}  {NAME}"
    if line not in CHECKSUMS.read_text().splitlines():
        sys.exit(f"{program} is not the file of {CHECKSUMS}; remove build/npm, and scripts/setup test installs it again")
    return program


def free_port():
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return door.getsockname()[1]


def wait_until_open(server, port):
    until = time.monotonic() + 10
    while time.monotonic() < until and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return True
        except OSError:
            time.sleep(0.01)
    return False


def environment(port):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    nowhere = "/nonexistent"
    return kept | {
        "AWS_ENDPOINT_URL_DYNAMODB": f"http://127.0.0.1:{port}",
        "AWS_REGION": "eu-west-1",
        "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_CONFIG_FILE": nowhere,
        "AWS_SHARED_CREDENTIALS_FILE": nowhere,
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def main(home, *command):
    home = os.environ.get("PERDURE_NPM", home)
    modules = pathlib.Path(home) / "node_modules"
    if not (modules / NAME).is_file():
        print(f"SKIPPED: there is no {modules / NAME}; scripts/setup test installs it", flush=True)
        return 77
    dynoxide = checked(modules)
    for _ in range(3):  # somebody else may take the port in between
        port = free_port()
        with subprocess.Popen([dynoxide, "serve", "--host", "127.0.0.1", "--port", str(port)],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
            try:
                if wait_until_open(server, port):
                    return subprocess.run(command, env=environment(port), check=False).returncode
            finally:
                server.kill()
    print("dynoxide does not open its port")
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
