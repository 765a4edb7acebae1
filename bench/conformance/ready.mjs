// Waits until a gateway lists a tool: `node ready.mjs URL`. A server behind it
// may start when it is first asked for.
const url = process.argv[2]
const end = Date.now() + 20_000
let session, last

async function ask(method, params, id) {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
  if (session) headers['Mcp-Session-Id'] = session
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id, method, params }) })
  session ??= answer.headers.get('Mcp-Session-Id')
  return answer.text()
}

for (;;) {
  try {
    session = undefined
    await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'ready', version: '1' } }, 1)
    await ask('notifications/initialized')
    last = await ask('tools/list', {}, 2)
    await fetch(url, { method: 'DELETE', headers: { 'Mcp-Session-Id': session ?? '' } })
    if (last.includes('"inputSchema"')) process.exit(0)
  } catch (fault) {
    last = String(fault)
  }
  if (Date.now() > end) {
    console.error(`${url} lists no tool: ${last}`)
    process.exit(1)
  }
  await new Promise((done) => setTimeout(done, 50))
}
