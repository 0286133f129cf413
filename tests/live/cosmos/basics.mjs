// SPDX-License-Identifier: Apache-2.0
//
// What Microsoft's own JavaScript client (@azure/cosmos) is answered to everyday requests: a line of
// JSON for each, {"step":…,"status":…,"has":…}.
//
//     node basics.mjs NODE_MODULES ENDPOINT KEY DATABASE
//
// What a server makes up (etags, times, names of resources) is left out of "has".
import { createRequire } from "node:module";

const [modules, endpoint, key, name] = process.argv.slice(2);
const { CosmosClient } = createRequire(modules + "/")("@azure/cosmos");
const client = new CosmosClient({ endpoint, key });

function bare(value) {
  if (Array.isArray(value)) return value.map(bare);
  if (value === null || typeof value !== "object") return value;
  const kept = Object.keys(value).filter((each) => !each.startsWith("_"));
  return Object.fromEntries(kept.sort().map((each) => [each, bare(value[each])]));
}

async function step(named, ask) {
  const line = { step: named };
  try {
    const answer = await ask();
    line.status = answer.statusCode;
    const has = answer.resources ?? answer.resource ?? answer.result;
    if (has !== undefined && has !== null) line.has = bare(has);
    if ("hasMoreResults" in answer) line.more = answer.hasMoreResults;
  } catch (error) {
    line.status = error.code ?? error.message;
    if (error.substatus) line.substatus = error.substatus;
  }
  console.log(JSON.stringify(line));
}

// One page, and whether there is another.
async function page(query, options) {
  const pages = items.query(query, options);
  const answer = await pages.fetchNext();
  return { statusCode: 200, resources: answer.resources, hasMoreResults: answer.hasMoreResults };
}
async function all(query, options) {
  const answer = await items.query(query, options).fetchAll();
  return { statusCode: 200, resources: answer.resources };
}

const status_only = async (ask) => ({ statusCode: (await ask).statusCode });
await step("create a database", () => status_only(client.databases.create({ id: name })));
await step("create it again", () => status_only(client.databases.create({ id: name })));
const database = client.database(name);
const container = database.container("c");
const items = container.items;
const definition = { id: "c", partitionKey: { paths: ["/pk"], kind: "Hash", version: 2 } };
await step("create a container", () => status_only(database.containers.create(definition)));
await step("create it again", () => status_only(database.containers.create(definition)));
await step("read a missing container", () => database.container("none").read());

const one = { id: "1", pk: "A", n: 1, deep: { list: [1, "two", null, true, { three: 3.5 }] } };
const item = container.item("1", "A");
await step("create", () => items.create(one));
await step("create it again", () => items.create(one));
await step("the same id in another partition", () => items.create({ ...one, pk: "B" }));
await step("read", () => item.read());
await step("read a missing item", () => container.item("9", "A").read());
await step("read by the wrong partition key", () => container.item("1", "C").read());

const { etag } = await item.read();
const if_match = { accessCondition: { type: "IfMatch", condition: etag } };
await step("replace", () => item.replace({ ...one, n: 2 }));
await step("replace by an old etag", () => item.replace({ ...one, n: 3 }, if_match));
await step("replace a missing item", () => container.item("9", "A").replace({ id: "9", pk: "A" }));
await step("upsert what is not there", () => items.upsert({ id: "2", pk: "A", n: 5 }));
await step("upsert what is there", () => items.upsert({ id: "2", pk: "A", n: 6 }));
await step("upsert by an old etag", () => items.upsert({ ...one, n: 4 }, if_match));

await step("patch", () =>
  item.patch([
    { op: "incr", path: "/n", value: 5 },
    { op: "set", path: "/deep/new", value: "here" },
    { op: "add", path: "/deep/list/0", value: "first" },
    { op: "remove", path: "/deep/list/1" },
  ]));
await step("patch under a condition that holds", () =>
  item.patch({ condition: "from c where c.n = 7", operations: [{ op: "replace", path: "/n", value: 8 }] }));
await step("patch under one that does not", () =>
  item.patch({ condition: "from c where c.n = 7", operations: [{ op: "replace", path: "/n", value: 9 }] }));
await step("patch a missing item", () => container.item("9", "A").patch([{ op: "incr", path: "/n", value: 1 }]));

for (let n = 3; n < 8; ++n) await items.create({ id: String(n), pk: "A", n: 100 - n });
const in_a = { partitionKey: "A" };
await step("query by a parameter", () =>
  all({ query: "SELECT c.id, c.n FROM c WHERE c.n >= @n", parameters: [{ name: "@n", value: 96 }] }, in_a));
await step("query in order", () => all("SELECT VALUE c.id FROM c WHERE c.pk = 'A' ORDER BY c.n", in_a));
await step("query in the other order", () => all("SELECT c.id FROM c WHERE c.pk = 'A' AND c.n > 8 ORDER BY c.n DESC", in_a));
await step("query for nothing", () => all("SELECT * FROM c WHERE c.n = 1000", in_a));
await step("query across partitions", () => all("SELECT c.id, c.pk FROM c WHERE c.id = '1'", {}));
await step("the first page", () => page("SELECT c.id FROM c WHERE c.pk = 'A'", { ...in_a, maxItemCount: 3 }));
await step("all pages", () => all("SELECT c.id FROM c WHERE c.pk = 'A'", { ...in_a, maxItemCount: 3 }));
await step("a query that cannot be read", () => all("SELEKT", in_a));
await step("read all of a partition", async () => {
  const answer = await items.readAll({ ...in_a, maxItemCount: 2 }).fetchAll();
  return { statusCode: 200, resources: answer.resources.map((each) => each.id) };
});

async function batch(...operations) {
  const { code, result } = await items.batch(operations, "A");
  return { statusCode: code, result: result.map((each) => each.statusCode) };
}
const create = (id) => ({ operationType: "Create", resourceBody: { id, pk: "A" } });
await step("a batch", () => batch(create("b1"), create("b2")));
await step("a batch with an upsert and a read", () =>
  batch({ ...create("b2"), operationType: "Upsert" }, { operationType: "Read", id: "b1" }));
await step("a batch with a conflict", () => batch(create("b3"), create("b1"), create("b4")));
await step("what it left behind", () => container.item("b3", "A").read());

await step("delete by an old etag", () => item.delete(if_match));
await step("delete", () => item.delete());
await step("delete it again", () => item.delete());
await step("delete the container", () => container.delete());
await step("delete the database", () => database.delete());
