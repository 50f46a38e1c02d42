// The official TypeScript SDK's client: does what it is told on standard input, and prints what came of it.
//   {"server": {"command": …, "args": […]} | {"url": …, "token": …}, "requests": [{"method": …, "params": …}]}
// Each answer is {"result": …} or {"error": {code, message}}.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const chunks = [];
for await (const chunk of process.stdin) {
  chunks.push(chunk);
}
const { server, requests } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
const transport = server.url
  ? new StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: { Authorization: `Bearer ${server.token}` } }
    })
  : new StdioClientTransport({ ...server, env: process.env });
const client = new Client({ name: 'typescript-client', version: '1' });
await client.connect(transport);

const called = {
  'tools/list': () => client.listTools(),
  'tools/call': params => client.callTool(params),
  'resources/list': () => client.listResources(),
  'resources/read': params => client.readResource(params),
  'resources/templates/list': () => client.listResourceTemplates(),
  'resources/subscribe': params => client.subscribeResource(params),
  'prompts/list': () => client.listPrompts(),
  'prompts/get': params => client.getPrompt(params),
  'completion/complete': params => client.complete(params)
};
const answers = [];
for (const { method, params } of requests) {
  try {
    answers.push({ result: await called[method](params) });
  } catch (error) {
    answers.push({ error: { code: error.code, message: error.message } });
  }
}
await client.close();
process.stdout.write(JSON.stringify(answers));
