// Verifies a line of JSON, {secret, headers, body}, and says "ok".
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";

const { secret, headers, body } = JSON.parse(readFileSync(0, "utf8"));
const event = new Webhook(secret).verify(body, headers);
if (typeof event.type !== "string") {
  throw new Error("no type");
}
console.log("ok");
