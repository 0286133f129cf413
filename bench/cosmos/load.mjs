// SPDX-License-Identifier: Apache-2.0
//
// The JavaScript SDK under the same load as perdure_cosmos_load, which prints the same.
//
//     PERDURE_NPM=build/npm node load.mjs read http://127.0.0.1:8000 16 20000 item.json
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const installed = createRequire(resolve(process.env.PERDURE_NPM ?? 'build/npm', 'any.js'));
const { CosmosClient } = installed('@azure/cosmos');
const [operation, endpoint, workers, calls, file] = process.argv.slice(2);
const item = JSON.parse(readFileSync(file, 'utf8'));
// As it comes, except that every call goes to the given address and the account is not asked again.
const client = new CosmosClient({
    endpoint,
    key: 'C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==',
    connectionPolicy: { enableEndpointDiscovery: false, enableBackgroundEndpointRefreshing: false },
});
const container = client.database('bench').container('items');
const made = String(process.hrtime.bigint());

async function work(run, worker, left, times) {
    const name = 'o-' + String(worker % 64).padStart(2, '0');
    for (let number = 0; left.calls > 0; number += 1) {
        left.calls -= 1;
        const began = process.hrtime.bigint();
        if (operation === 'create') {
            const id = `${made}r${run}w${worker}n${number}`;
            const { statusCode } = await container.items.create({ id, pk: id, ...item });
            if (statusCode !== 201) throw new Error('not the answer expected');
        } else {
            const { resource } = await container.item(name, name).read();
            if (resource?.id !== name || resource.tags.length !== 3) throw new Error('not the item expected');
        }
        times.push(Number(process.hrtime.bigint() - began) / 1e3);
    }
}

async function run(number, howMany) {
    const left = { calls: howMany }, times = [];
    await Promise.all(Array.from({ length: Number(workers) }, (_, i) => work(number, i, left, times)));
    return times;
}

await run(0, 20 * Number(workers) + 200);  // which also lets the compiler warm up
const processor = process.cpuUsage(), began = process.hrtime.bigint();
const times = (await run(1, Number(calls))).sort((a, b) => a - b);
const seconds = Number(process.hrtime.bigint() - began) / 1e9, used = process.cpuUsage(processor);
const quantile = (share) => times[Math.floor(share * (times.length - 1))];
console.log(JSON.stringify({
    requests: times.length, seconds, processor: (used.user + used.system) / 1e6,
    p50_us: quantile(0.5), p99_us: quantile(0.99),
}));
process.exit(0);  // the client may have timers
