// SPDX-License-Identifier: Apache-2.0
//
// The JavaScript SDK under the same load as perdure_dynamodb_load, which prints the same.
//
//     PERDURE_NPM=build/npm node load.mjs get http://127.0.0.1:8000 16 20000 item.json
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const installed = createRequire(resolve(process.env.PERDURE_NPM ?? 'build/npm', 'any.js'));
const { DynamoDBClient, GetItemCommand, PutItemCommand } = installed('@aws-sdk/client-dynamodb');
const [operation, endpoint, workers, calls, file] = process.argv.slice(2);
const item = JSON.parse(readFileSync(file, 'utf8'));
// As it comes: connections are kept alive, at most 50 of them.
const client = new DynamoDBClient({
    region: 'us-east-1', endpoint,
    credentials: { accessKeyId: 'AKIDEXAMPLEEXAMPLE00', secretAccessKey: 'not-a-secret' },
});

async function work(worker, left, times) {
    const pk = { S: 'o#' + String(worker % 64).padStart(2, '0') };
    while (left.calls > 0) {
        left.calls -= 1;
        const began = process.hrtime.bigint();
        if (operation === 'put') {
            await client.send(new PutItemCommand({ TableName: 'bench', Item: { ...item, pk } }));
        } else {
            const answer = await client.send(new GetItemCommand({ TableName: 'bench', Key: { pk } }));
            if (answer.Item.pk.S !== pk.S || Object.keys(answer.Item).length !== 10)
                throw new Error('not the item expected');
        }
        times.push(Number(process.hrtime.bigint() - began) / 1e3);
    }
}

async function run(howMany) {
    const left = { calls: howMany }, times = [];
    await Promise.all(Array.from({ length: Number(workers) }, (_, i) => work(i, left, times)));
    return times;
}

await run(20 * Number(workers) + 200);  // which also lets the compiler warm up
const processor = process.cpuUsage(), began = process.hrtime.bigint();
const times = (await run(Number(calls))).sort((a, b) => a - b);
const seconds = Number(process.hrtime.bigint() - began) / 1e9, used = process.cpuUsage(processor);
const quantile = (share) => times[Math.floor(share * (times.length - 1))];
console.log(JSON.stringify({
    requests: times.length, seconds, processor: (used.user + used.system) / 1e6,
    p50_us: quantile(0.5), p99_us: quantile(0.99),
}));
