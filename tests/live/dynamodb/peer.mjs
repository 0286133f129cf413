// SPDX-License-Identifier: Apache-2.0
//
// AWS's own JavaScript SDK doing what its manual shows: increments, creates, batches. What its caller
// is told goes to the standard output, a line of JSON for each id: {"id":…,"told":"done"|"failed",…}.
//
//     node peer.mjs NODE_MODULES ENDPOINT TABLE increments|creates|batches COUNT WORKERS ATTEMPTS
//
// ATTEMPTS 0 leaves the SDK's own default.
import { createRequire } from "node:module";

const [modules, endpoint, TableName, kind, count, workers, attempts] = process.argv.slice(2);
const sdk = createRequire(modules + "/")("@aws-sdk/client-dynamodb");
const client = new sdk.DynamoDBClient({
  endpoint,
  region: "us-east-1",
  credentials: { accessKeyId: "AKID", secretAccessKey: "secret" },
  ...(Number(attempts) > 0 ? { maxAttempts: Number(attempts) } : {}),
});
const id = (n) => `${kind}-${n}`;

const increment = (n) =>
  client.send(new sdk.UpdateItemCommand({
    TableName,
    Key: { pk: { S: id(n) } },
    UpdateExpression: "ADD n :one",
    ExpressionAttributeValues: { ":one": { N: "1" } },
  }));

const create = (n) =>
  client.send(new sdk.PutItemCommand({
    TableName,
    Item: { pk: { S: id(n) }, n: { N: "1" } },
    ConditionExpression: "attribute_not_exists(pk)",
  }));

// Leftovers are the caller's business, so it sends them again: ten rounds with growing pauses.
async function batch(first) {
  let left = [];
  for (let n = first; n < Math.min(first + 25, Number(count)); ++n)
    left.push({ PutRequest: { Item: { pk: { S: id(n) }, n: { N: "1" } } } });
  for (let round = 0; left.length > 0; ++round) {
    if (round === 10) throw new Error("leftovers");
    if (round > 0) await new Promise((go) => setTimeout(go, Math.random() * 25 * 2 ** round));
    const answer = await client.send(new sdk.BatchWriteItemCommand({ RequestItems: { [TableName]: left } }));
    left = answer.UnprocessedItems?.[TableName] ?? [];
  }
}

async function tell(work, ids) {
  let line = { told: "done" };
  try {
    await work();
  } catch (error) {
    line = { told: "failed", error: error.name, attempts: error.$metadata?.attempts };
  }
  for (const each of ids) console.log(JSON.stringify({ id: each, ...line }));
}

const step = kind === "batches" ? 25 : 1;
let next = 0;
async function work() {
  while (next < Number(count)) {
    const n = next;
    next += step;
    const ids = Array.from({ length: Math.min(step, count - n) }, (_, i) => id(n + i));
    await tell(() => ({ increments: increment, creates: create, batches: batch })[kind](n), ids);
  }
}
await Promise.all(Array.from({ length: Number(workers) }, work));
