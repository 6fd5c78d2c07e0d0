// A whole conversation by the official TypeScript client: the arguments are the folder of
// its packages and the server, standard input the calls, standard output what came back.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [packages, command, ...args] = process.argv.slice(2);
const require = createRequire(join(packages, "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${name}`)));
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");

const calls = JSON.parse(readFileSync(0, "utf8"));
const client = new Client({ name: "conversation", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
const greeting = {
  serverInfo: client.getServerVersion(),
  capabilities: client.getServerCapabilities(),
  instructions: client.getInstructions(),
};
const { tools } = await client.listTools();
const results = [];
for (const call of calls) results.push(await client.callTool(call));
await client.close();
process.stdout.write(JSON.stringify({ greeting, tools, results }));
