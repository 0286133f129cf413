// SPDX-License-Identifier: Apache-2.0
//
// Microsoft's own JavaScript client (@azure/cosmos) with its defaults, as a server on loopback that makes
// the calls it is asked for:
//
//     node cosmos_calls.mjs NODE_MODULES PORT
//
//     POST /client {"endpoint":…,"key":…,"preferred":[…]}
//     POST /call {"does":"read"|"write","id":…,"deadline":milliseconds}
//
// The answer to a call is empty if it was done, otherwise why it was not.
import { createServer } from "node:http";
import { createRequire } from "node:module";

const [modules, port] = process.argv.slice(2);
const { CosmosClient } = createRequire(modules + "/")("@azure/cosmos");

let client;
let container;

function connect({ endpoint, key, preferred }) {
  client?.dispose();
  client = new CosmosClient({
    endpoint,
    key,
    userAgentSuffix: "js",
    connectionPolicy: { preferredLocations: preferred },
  });
  container = client.database("drill").container("items");
}

async function call({ does, id, deadline }) {
  const options = { abortSignal: AbortSignal.timeout(deadline) };
  try {
    const answer =
      does === "read"
        ? await container.item(id, id).read(options)
        : await container.items.upsert({ id, pk: id }, options);
    // A missing item is no error to this client.
    return answer.statusCode < 400 && answer.resource?.id === id ? "" : `${answer.statusCode}`;
  } catch (error) {
    const substatus = error.substatus ? `/${error.substatus}` : "";
    return `${error.code ?? error.name ?? error.message}${substatus}`;
  }
}

async function text(request) {
  let all = "";
  for await (const part of request) all += part;
  return all;
}

createServer(async (request, response) => {
  const asked = JSON.parse(await text(request));
  if (request.url === "/client") connect(asked);
  response.end(request.url === "/call" ? await call(asked) : "");
}).listen(Number(port), "127.0.0.1");
