// Connects a client of the TypeScript SDKs, lists the tools until one of them is
// there, calls it, and prints the revision, how many tools there are, and what the
// tool said.
//
//   client.mjs MODULES v1|v2 MODE TOOL ARGUMENTS URL
//   client.mjs MODULES v1|v2 MODE TOOL ARGUMENTS -- COMMAND…
//
// MODE is of v2: legacy, auto, or a revision that it is pinned to.
import { setTimeout } from 'node:timers/promises';

const [modules, line, mode, tool, args, target, ...command] = process.argv.slice(2);
const home = { v1: 'sdk/dist/esm/client', v2: 'client/dist' }[line];
const load = (file) => import(`${modules}/@modelcontextprotocol/${home}/${file}`);
const main = await load({ v1: 'index.js', v2: 'index.mjs' }[line]);
const stdio = await load({ v1: 'stdio.js', v2: 'stdio.mjs' }[line]);
const http = line === 'v1' ? await load('streamableHttp.js') : main;

const transport = target === '--'
	? new stdio.StdioClientTransport({ command: command[0], args: command.slice(1), env: process.env })
	: new http.StreamableHTTPClientTransport(new URL(target));
let said;
const setVersion = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (v) => { said = v; setVersion?.(v); };

const negotiation = { legacy: undefined, auto: { mode: 'auto' } };
const client = new main.Client(
	{ name: 'interop', version: '1' },
	line === 'v2' ? { versionNegotiation: mode in negotiation ? negotiation[mode] : { mode: { pin: mode } } } : {},
);
await client.connect(transport);
let { tools } = await client.listTools();
while (!tools.some((t) => t.name === tool)) {
	await setTimeout(50);
	({ tools } = await client.listTools());
}
const { content } = await client.callTool({ name: tool, arguments: JSON.parse(args) });
const revision = client.getNegotiatedProtocolVersion?.() ?? said;
console.log(JSON.stringify({ revision, tools: tools.length, text: content.map((c) => c.text).join('') }));
await client.close();
