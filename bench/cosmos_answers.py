# SPDX-License-Identifier: Apache-2.0
"""What Cosmos DB would say to a read and to a create of bench/cosmos/item.json, with all the fields it sends.

Whatever is read is the item of the first worker. For always.py.
"""

import email.utils
import json
import pathlib

ITEM = pathlib.Path(__file__).resolve().parent / "cosmos" / "item.json"
ETAG = '"0000d826-0000-0d00-0000-6553f5a00000"'
CONTAINER = {"id": "items", "_rid": "kT5oAPqXuWY=", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}}
RANGES = {"_rid": "kT5oAPqXuWY=", "_count": 1, "PartitionKeyRanges": [
    {"id": "0", "_rid": "kT5oAPqXuWYCAAAAAAAAUA==", "minInclusive": "", "maxExclusive": "FF", "parents": []}]}
FIELDS = f"""Cache-Control: no-store, no-cache
Pragma: no-cache
Content-Type: application/json
Server: Microsoft-HTTPAPI/2.0
Strict-Transport-Security: max-age=31536000
x-ms-last-state-change-utc: Mon, 16 Nov 2026 08:12:41.187 GMT
etag: {ETAG}
x-ms-resource-quota: documentSize=51200;documentsSize=52428800;documentsCount=-1;collectionSize=52428800;
x-ms-resource-usage: documentSize=4;documentsSize=93;documentsCount=64;collectionSize=105;
x-ms-schemaversion: 1.16
lsn: 4207
x-ms-request-charge: 1
x-ms-alt-content-path: dbs/bench/colls/items
x-ms-content-path: kT5oAPqXuWY=
x-ms-documentdb-partitionkeyrangeid: 0
x-ms-quorum-acked-lsn: 4206
x-ms-current-write-quorum: 3
x-ms-current-replica-set-size: 4
x-ms-xp-role: 2
x-ms-global-Committed-lsn: 4205
x-ms-number-of-read-regions: 1
x-ms-transport-request-id: 81274
x-ms-cosmos-llsn: 4207
x-ms-session-token: 0:1#4207#2=4190
x-ms-request-duration-ms: 0.412
x-ms-serviceversion: version=2.14.0.0
x-ms-activity-id: 01890a5d-ac96-774b-bcce-b302099a8057
x-ms-gatewayversion: version=2.14.0
""".replace("\n", "\r\n").encode()


def text(value):
    return json.dumps(value, separators=(",", ":")).encode()


STORED = text({"id": "o-00", "pk": "o-00", **json.loads(ITEM.read_text(encoding="utf-8")), "_rid": "kT5oAPqXuWYBAAAAAAAAAA==",
               "_self": "dbs/kT5oAA==/colls/kT5oAPqXuWY=/docs/kT5oAPqXuWYBAAAAAAAAAA==/", "_etag": ETAG,
               "_attachments": "attachments/", "_ts": 1794823200})


def said(request):
    line, rest = request.split(b"\r\n", 1)
    status, body = b"200 OK", STORED
    if line.startswith(b"POST"):
        status = b"201 Created"
    elif b"/pkranges" in line:
        body = text(RANGES)
        if b"if-none-match:" in rest.lower():
            status, body = b"304 Not Modified", b""
    elif b"/docs" not in line:
        body = text(CONTAINER)
    # The time is right: another would be taken for a wrong clock of ours.
    return b"HTTP/1.1 %s\r\n%sDate: %s\r\nContent-Length: %d\r\n\r\n%s" % (
        status, FIELDS, email.utils.formatdate(usegmt=True).encode(), len(body), body)
