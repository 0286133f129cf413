// SPDX-License-Identifier: Apache-2.0
//
// What the JavaScript SDK writes and reads: a second opinion on every type.
//
//     node round_trip.mjs write|check NODE_MODULES ENDPOINT TABLE CORPUS
//
// CORPUS is a file with a list of items in the service's JSON. `write` puts them all; `check` reads the
// table and compares it with the corpus, sets in any order and numbers by what they mean.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [how, modules, endpoint, TableName, corpus] = process.argv.slice(2);
const sdk = createRequire(modules + "/")("@aws-sdk/client-dynamodb");
const client = new sdk.DynamoDBClient({
  endpoint,
  region: "us-east-1",
  credentials: { accessKeyId: "AKID", secretAccessKey: "secret" },
});
const items = JSON.parse(readFileSync(corpus, "utf8"));
const bytes = (text) => new Uint8Array(Buffer.from(text, "base64"));
const each = (map, change) => Object.fromEntries(Object.entries(map).map(([name, one]) => [name, change(one)]));

// The SDK has bytes where the service has base64.
function typed(value) {
  const [[kind, held]] = Object.entries(value);
  if (kind === "B") return { B: bytes(held) };
  if (kind === "BS") return { BS: held.map(bytes) };
  if (kind === "L") return { L: held.map(typed) };
  if (kind === "M") return { M: each(held, typed) };
  return value;
}

// Sign, digits without zeros at the ends, exponent of ten.
function decimal(text) {
  const [, sign, whole, fraction = "", exponent = "0"] = /^([-+]?)(\d*)\.?(\d*)(?:[eE]([-+]?\d+))?$/.exec(text);
  const digits = (whole + fraction).replace(/^0+/, "");
  const kept = digits.replace(/0+$/, "");
  if (kept === "") return "0";
  return `${sign === "-" ? "-" : ""}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}

// Lists of lists that are equal for values that mean the same.
function meaning(value) {
  const [[kind, held]] = Object.entries(value);
  const base64 = (one) => Buffer.from(one).toString("base64");
  const by_name = ([a], [b]) => (a < b ? -1 : 1);
  if (kind === "N") return [kind, decimal(held)];
  if (kind === "NS") return [kind, held.map(decimal).sort()];
  if (kind === "SS") return [kind, [...held].sort()];
  if (kind === "B") return [kind, base64(held)];
  if (kind === "BS") return [kind, held.map(base64).sort()];
  if (kind === "L") return [kind, held.map(meaning)];
  if (kind === "M") return [kind, Object.entries(each(held, meaning)).sort(by_name)];
  return [kind, held];
}

const wrong = [];
for (const item of items.map((one) => each(one, typed))) {
  if (how === "write") {
    await client.send(new sdk.PutItemCommand({ TableName, Item: item }));
    continue;
  }
  const got = await client.send(new sdk.GetItemCommand({ TableName, Key: { pk: item.pk }, ConsistentRead: true }));
  const [found, wanted] = [got.Item ?? {}, item].map((M) => JSON.stringify(meaning({ M })));
  if (found !== wanted) wrong.push(`${item.pk.S}: ${found} instead of ${wanted}`);
}
if (wrong.length > 0) {
  console.error(wrong.join("\n"));
  process.exit(1);
}
