// npm web-push with a keep-alive agent: told over standard input from which subscription on to send, and how many.
import { readFileSync } from "node:fs";
import { Agent } from "node:https";
import { createInterface } from "node:readline";

import webPush from "web-push";

const CONCURRENCY = 100;

const config = JSON.parse(readFileSync(process.argv[2], "utf8"));
const options = {
  TTL: config.ttl,
  vapidDetails: {
    subject: config.subject,
    publicKey: config.public_key,
    privateKey: config.private_key,
  },
  agent: new Agent({ keepAlive: true, maxSockets: CONCURRENCY, ca: readFileSync(config.ca) }),
};

async function send(from, count) {
  let next = from;
  let failed = 0;
  const worker = async () => {
    while (next < from + count) {
      const subscription = config.subscriptions[next++];
      try {
        await webPush.sendNotification(subscription, config.payload, options);
      } catch (error) {
        failed += 1;
        console.error(error.message);
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return failed;
}

console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const [from, count] = line.split(" ").map(Number);
  console.log(`sent ${count} ${await send(from, count)}`);
}
