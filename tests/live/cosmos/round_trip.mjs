// SPDX-License-Identifier: Apache-2.0
//
// What Microsoft's own JavaScript client (@azure/cosmos) writes and reads: a second opinion on every
// type, and on ids and keys that are hard to put into a path or a header.
//
//     node round_trip.mjs write|check NODE_MODULES ENDPOINT KEY DATABASE CONTAINER CORPUS
//
// CORPUS is a file: [{"key":…,"item":{…}},…]; without "key" the item has none. `write` creates them all;
// `check` reads each one and compares.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [how, modules, endpoint, account_key, database, container, corpus] = process.argv.slice(2);
const { CosmosClient, PartitionKeyBuilder } = createRequire(modules + "/")("@azure/cosmos");
const client = new CosmosClient({ endpoint, key: account_key });
const items = client.database(database).container(container);
const specimens = JSON.parse(readFileSync(corpus, "utf8"));

// By what it means: names in order, without what the service adds.
function meaning(value) {
  if (Array.isArray(value)) return value.map(meaning);
  if (value === null || typeof value !== "object") return value;
  const kept = Object.keys(value).filter((each) => !["_rid", "_self", "_etag", "_ts", "_attachments"].includes(each));
  return kept.sort().map((each) => [each, meaning(value[each])]);
}

const none = new PartitionKeyBuilder().addNoneValue().build();
const wrong = [];
for (const { key = none, item } of specimens) {
  try {
    if (how === "write") {
      await items.items.create(item);
      continue;
    }
    const { resource, statusCode } = await items.item(item.id, key).read();
    const [found, wanted] = [resource ?? { status: statusCode }, item].map((one) => JSON.stringify(meaning(one)));
    if (found !== wanted) wrong.push(`${item.id}: ${found} instead of ${wanted}`);
  } catch (error) {
    wrong.push(`${item.id}: ${error.code} ${error.message}`);
  }
}
client.dispose();
if (wrong.length > 0) {
  console.error(wrong.join("\n"));
  process.exit(1);
}
