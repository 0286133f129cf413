// SPDX-License-Identifier: Apache-2.0
//
// Microsoft's own JavaScript client (@azure/cosmos) under faults that were planned for it, each scene
// with a client and a container of its own, several at once. What its caller is told goes to the
// standard output, a line of JSON for each scene: {"scene":…,"told":"done"|"failed","status":…,…}.
//
//     node scenes.mjs NODE_MODULES KEY SCENES
//
// SCENES is a file: [{"scene":…,"account":…,"endpoint":…,"does":"read"|"create","preferred":[…],
// "discovery":…},…]; containers are made by way of "account", and played with by way of "endpoint".
// The container has the scene's name, and so has the end of the client's User-Agent.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [modules, key, file] = process.argv.slice(2);
const { CosmosClient } = createRequire(modules + "/")("@azure/cosmos");
const scenes = JSON.parse(readFileSync(file, "utf8"));

const helpers = new Map();
async function database(endpoint) {
  if (!helpers.has(endpoint)) {
    const client = new CosmosClient({ endpoint, key, userAgentSuffix: "set-up" });
    helpers.set(endpoint, client.databases.createIfNotExists({ id: "d" }));
  }
  return (await helpers.get(endpoint)).database;
}

async function play({ scene, account, endpoint, does, preferred, discovery }) {
  await (await database(account)).containers.create({
    id: scene,
    partitionKey: { paths: ["/pk"], kind: "Hash", version: 2 },
  });
  const client = new CosmosClient({
    endpoint,
    key,
    userAgentSuffix: scene,
    // Or else it sends no session token.
    consistencyLevel: "Session",
    connectionPolicy: { preferredLocations: preferred, enableEndpointDiscovery: discovery },
  });
  const container = client.database("d").container(scene);
  if (does === "read") await container.items.create({ id: "seed", pk: "A" });
  const line = { scene, told: "done" };
  try {
    const answer =
      does === "read"
        ? await container.item("seed", "A").read()
        : await container.items.create({ id: "new", pk: "A" });
    // A missing item is no error to this client.
    line.status = answer.statusCode;
    if (answer.statusCode >= 400) line.told = "failed";
    if (answer.substatus) line.substatus = answer.substatus;
  } catch (error) {
    line.told = "failed";
    line.status = typeof error.code === "number" ? error.code : 0;
    line.error = String(error.code ?? error.message);
    if (error.substatus) line.substatus = error.substatus;
  }
  console.log(JSON.stringify(line));
  client.dispose();
}

// So many that waiting is shared, so few that none of them is late because of the others.
let next = 0;
async function player() {
  while (next < scenes.length) await play(scenes[next++]);
}
await Promise.all(Array.from({ length: 12 }, player));
process.exit(0);
