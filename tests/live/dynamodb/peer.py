# SPDX-License-Identifier: Apache-2.0
"""AWS's own Python SDK (botocore) doing what its manual shows: increments, creates, batches.

    peer.py ENDPOINT TABLE increments|creates|batches COUNT WORKERS ATTEMPTS

What its caller is told goes to the standard output, a line of JSON for each id:
{"id":…,"told":"done"|"failed",…}. ATTEMPTS 0 leaves the SDK's own default.
"""
import concurrent.futures
import json
import random
import sys
import threading
import time

import botocore.config
import botocore.exceptions
import botocore.session

endpoint, table, kind = sys.argv[1:4]
count, workers, attempts = map(int, sys.argv[4:7])
retries = {"total_max_attempts": attempts, "mode": "standard"} if attempts else None
client = botocore.session.Session().create_client(
    "dynamodb", endpoint_url=endpoint, region_name="us-east-1",
    aws_access_key_id="AKID", aws_secret_access_key="secret",
    config=botocore.config.Config(max_pool_connections=workers, retries=retries))
printing = threading.Lock()


def name(n):
    return f"{kind}-{n}"


def increment(n):
    client.update_item(TableName=table, Key={"pk": {"S": name(n)}}, UpdateExpression="ADD n :one",
                       ExpressionAttributeValues={":one": {"N": "1"}})


def create(n):
    client.put_item(TableName=table, Item={"pk": {"S": name(n)}, "n": {"N": "1"}},
                    ConditionExpression="attribute_not_exists(pk)")


def batch(first):
    """Leftovers are the caller's business, so it sends them again: ten rounds with growing pauses."""
    left = [{"PutRequest": {"Item": {"pk": {"S": name(n)}, "n": {"N": "1"}}}}
            for n in range(first, min(first + 25, count))]
    for rounds in range(10):
        if rounds:
            time.sleep(random.random() * 0.025 * 2**rounds)
        left = client.batch_write_item(RequestItems={table: left}).get("UnprocessedItems", {}).get(table, [])
        if not left:
            return
    raise RuntimeError("leftovers")


def tell(n):
    line = {"told": "done"}
    try:
        {"increments": increment, "creates": create, "batches": batch}[kind](n)
    except botocore.exceptions.ClientError as error:
        line = {"told": "failed", "error": error.response["Error"]["Code"],
                "attempts": error.response["ResponseMetadata"].get("RetryAttempts", 0) + 1}
    except Exception as error:  # whatever a caller can be told
        line = {"told": "failed", "error": type(error).__name__}
    step = 25 if kind == "batches" else 1
    with printing:
        for each in range(n, min(n + step, count)):
            print(json.dumps({"id": name(each), **line}))


with concurrent.futures.ThreadPoolExecutor(workers) as pool:
    list(pool.map(tell, range(0, count, 25 if kind == "batches" else 1)))
