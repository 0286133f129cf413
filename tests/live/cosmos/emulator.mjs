// SPDX-License-Identifier: Apache-2.0
//
// The Cosmos DB emulator that others wrote (@vercel/cosmosdb-server), made fit for clients that look
// where they are sent:
//
//     node emulator.mjs NODE_MODULES PORT
//
// Its account document names HTTPS endpoints whatever it listens on; here it names this one. It answers
// a read of a missing item with 500 unless a header of queries is there; here it always is. Everything
// else is as it has it.
import { createRequire } from "node:module";

const [modules, port] = process.argv.slice(2);
const { createHttpServer } = createRequire(modules + "/")("@vercel/cosmosdb-server");
const server = createHttpServer({ keepAlive: true });
const [emulator] = server.listeners("request");

const here = { name: "South Central US", databaseAccountEndpoint: `http://127.0.0.1:${port}/` };
const account = JSON.stringify({
  id: "emulator",
  _rid: "emulator",
  _self: "",
  _dbs: "//dbs/",
  media: "//media/",
  addresses: "//addresses/",
  writableLocations: [here],
  readableLocations: [here],
  enableMultipleWriteLocations: false,
  userConsistencyPolicy: { defaultConsistencyLevel: "Session" },
  queryEngineConfiguration: "{}",
});

server.removeAllListeners("request");
server.on("request", (request, response) => {
  if (request.method === "GET" && request.url === "/") {
    response.setHeader("content-type", "application/json");
    response.end(account);
    return;
  }
  if (request.method === "GET") request.headers["x-ms-documentdb-query-enablecrosspartition"] = "True";
  emulator(request, response);
});
server.listen(Number(port), "127.0.0.1");
