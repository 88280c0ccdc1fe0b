// Uses every tool through the official TypeScript client, and prints what came back as JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const { HATO_URL, HATO_KEY } = process.env;

const client = new Client({ name: "hato-test", version: "1.0.0" });
await client.connect(
  new StreamableHTTPClientTransport(new URL("/mcp", HATO_URL), {
    requestInit: { headers: { Authorization: `Bearer ${HATO_KEY}` } },
  }),
);

const call = async (name, args = {}) => {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: args });
  return { text: content[0].text, structured: structuredContent ?? null, isError: isError ?? false };
};

// Told of the tools, the client checks every structured result against its schema.
const { tools } = await client.listTools();
const created = await call("create_api_key", { name: "from a client", scope: "notify" });
console.log(
  JSON.stringify({
    tools,
    created,
    keys: await call("list_api_keys"),
    deleted: await call("delete_api_key", { key_id: created.structured.id }),
    sent: await call("send_notification", { title: "Hello", body: "from a client" }),
    stats: await call("get_stats"),
    sends: await call("list_notifications", { limit: 1 }),
    refused: await call("create_api_key", { name: "x", scope: "root" }),
  }),
);
await client.close();
