# SPDX-License-Identifier: Apache-2.0
"""What Microsoft's Python client of 2019, the one that Debian has, is answered to everyday requests.

    basics.py ENDPOINT KEY DATABASE

A line of JSON for each: {"step":…,"status":…,"has":…}. The client gives away no status of a success, so
that it reads 200 there. What a server makes up (etags, times) is left out of "has".
"""
import json
import sys

import azure.cosmos.cosmos_client as cosmos
import azure.cosmos.errors as errors

endpoint, key, name = sys.argv[1:4]
client = cosmos.CosmosClient(endpoint, {"masterKey": key})
database, container = f"dbs/{name}", f"dbs/{name}/colls/c"
item = f"{container}/docs/1"
in_a = {"partitionKey": "A"}


def bare(value):
    if isinstance(value, list):
        return [bare(one) for one in value]
    if isinstance(value, dict):
        return {key: bare(one) for key, one in value.items() if not key.startswith("_")}
    return value


def step(named, ask):
    line = {"step": named, "status": 200}
    try:
        has = ask()
        if has is not None:
            line["has"] = bare(has)
    except errors.HTTPFailure as failure:
        line["status"] = failure.status_code
    print(json.dumps(line, sort_keys=True))


def query(text, options, **parameters):
    wanted = [{"name": "@" + each, "value": value} for each, value in parameters.items()]
    return list(client.QueryItems(container, {"query": text, "parameters": wanted}, options))


client.CreateDatabase({"id": name})
step("create the database again", lambda: client.CreateDatabase({"id": name}))
client.CreateContainer(database, {"id": "c", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}})

one = {"id": "1", "pk": "A", "n": 1, "text": "gr\u00fc\u00dfe \u4f60\u597d"}
step("create", lambda: client.CreateItem(container, one))
step("create it again", lambda: client.CreateItem(container, one))
step("read", lambda: client.ReadItem(item, in_a))
step("read a missing item", lambda: client.ReadItem(container + "/docs/9", in_a))

etag = client.ReadItem(item, in_a)["_etag"]
if_match = {"partitionKey": "A", "accessCondition": {"type": "IfMatch", "condition": etag}}
step("replace by the etag", lambda: client.ReplaceItem(item, {**one, "n": 2}, if_match))
step("replace by an old etag", lambda: client.ReplaceItem(item, {**one, "n": 3}, if_match))
step("upsert", lambda: client.UpsertItem(container, {"id": "2", "pk": "A", "n": 5}))
step("upsert it again", lambda: client.UpsertItem(container, {"id": "2", "pk": "A", "n": 6}))

client.CreateItem(container, {"id": "3", "pk": "A", "n": 7})
client.CreateItem(container, {"id": "4", "pk": "B", "n": 8})
step("query by a parameter", lambda: query("SELECT c.id FROM c WHERE c.pk = 'A' AND c.n > @n", in_a, n=6))
step("query in order", lambda: query("SELECT c.id FROM c WHERE c.pk = 'A' ORDER BY c.n DESC", in_a))
step("query in pages", lambda: query("SELECT c.id FROM c WHERE c.pk = 'A'", {**in_a, "maxItemCount": 1}))
step("query across partitions",
     lambda: query("SELECT c.id FROM c WHERE c.n >= 6", {"enableCrossPartitionQuery": True}))

step("delete", lambda: client.DeleteItem(item, in_a))
step("delete it again", lambda: client.DeleteItem(item, in_a))
step("delete the database", lambda: client.DeleteDatabase(database))
