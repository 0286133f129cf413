# SPDX-License-Identifier: Apache-2.0
"""What awscli writes and reads: a second opinion on every type.

    round_trip.py write|check AWS ENDPOINT TABLE CORPUS

CORPUS is a file with a list of items in the service's JSON. `write` puts them all; `check` reads the
table and compares it with the corpus, sets in any order and numbers by what they mean.
"""
import decimal
import json
import os
import subprocess
import sys
import tempfile

how, program, endpoint, table, corpus = sys.argv[1:]
decimal.getcontext().prec = 80


def aws(*words):
    environment = {**os.environ, "AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "secret",
                   "AWS_DEFAULT_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true",
                   "AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull}
    done = subprocess.run([program, "dynamodb", *words, "--endpoint-url", endpoint, "--output", "json"],
                          env=environment, stdout=subprocess.PIPE, check=True, timeout=60)
    return json.loads(done.stdout or "{}")


def meaning(value):
    """Lists of lists that are equal for values that mean the same."""
    (kind, held), = value.items()
    if kind == "N":
        held = str(decimal.Decimal(held).normalize())
    elif kind == "NS":
        held = sorted(str(decimal.Decimal(one).normalize()) for one in held)
    elif kind in ("SS", "BS"):
        held = sorted(held)
    elif kind == "L":
        held = [meaning(one) for one in held]
    elif kind == "M":
        held = sorted([name, meaning(one)] for name, one in held.items())
    return [kind, held]


with open(corpus, encoding="utf-8") as file:
    items = json.load(file)

if how == "write":
    with tempfile.NamedTemporaryFile("w", suffix=".json") as requests:
        json.dump({table: [{"PutRequest": {"Item": item}} for item in items]}, requests)
        requests.flush()
        left = aws("batch-write-item", "--request-items", "file://" + requests.name)
        sys.exit(0 if not left.get("UnprocessedItems") else "something was left")

found = {item["pk"]["S"]: item for item in aws("scan", "--table-name", table, "--consistent-read")["Items"]}
wrong = [f"{item['pk']['S']}: {found.get(item['pk']['S'])} instead of {item}" for item in items
         if meaning({"M": found.get(item["pk"]["S"], {})}) != meaning({"M": item})]
if len(found) != len(items):
    wrong.append(f"{len(found)} items instead of {len(items)}")
sys.exit("\n".join(wrong) or 0)
