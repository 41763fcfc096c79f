// The conformance suite of MCP, against both eras: the scenarios that ask for no tools, prompts or resources of the suite's own. It cannot send
// a credential, so a proxy on this machine adds one, and passes on everything else, Host and Origin too. The checks that fail are listed in
// test/oracles/mcp-expected-failures.yml; one that is listed and passes is a failure.
import { execFile } from 'node:child_process';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spender } from '../factories/budget.js';
import { useHarness } from '../harness.js';
import { mcpConformance, node22 } from '../oracles/installed.js';

const run = promisify(execFile);
let token = '';
const proxy = createServer((incoming, answer) => {
  const { method, url = '', headers } = incoming;
  const given = { ...headers, authorization: `Bearer ${token}` };
  const passed = request(harness.test.url + url, { method, headers: given }, (response) => {
    answer.writeHead(response.statusCode ?? 500, response.headers);
    response.pipe(answer);
  });
  passed.once('error', () => answer.destroy());
  answer.once('close', () => passed.destroy());
  incoming.pipe(passed);
});
await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
const { port } = proxy.address() as AddressInfo;
const harness = useHarness({ env: { CORS_ORIGINS: `http://localhost:${port},http://127.0.0.1:${port}` } });
beforeAll(async () => {
  ({ token } = await spender(harness.test));
});
afterAll(() => {
  proxy.closeAllConnections();
  proxy.close();
});

const expected = fileURLToPath(new URL('../oracles/mcp-expected-failures.yml', import.meta.url));

describe.skipIf(node22 === undefined || mcpConformance === undefined)('the conformance suite of MCP', () => {
  it.each([
    ['2026-07-28', 'server-stateless'],
    ['2026-07-28', 'http-header-validation'],
    ['2026-07-28', 'tools-list'],
    ['2026-07-28', 'server-sse-multiple-streams'],
    ['2026-07-28', 'input-required-result-unsupported-methods'],
    ['2026-07-28', 'caching'],
    ['2026-07-28', 'dns-rebinding-protection'],
    ['2025-11-25', 'server-initialize'],
    ['2025-11-25', 'ping'],
    ['2025-11-25', 'tools-list'],
    ['2025-11-25', 'dns-rebinding-protection'],
  ])('of %s: %s', { timeout: 60_000 }, async (version, scenario) => {
    const url = `http://127.0.0.1:${port}/mcp`;
    const args = ['server', '--url', url, '--scenario', scenario, '--spec-version', version, '--expected-failures', expected];
    const ran = await run(node22 as string, [mcpConformance as string, ...args], { cwd: tmpdir() }).catch((error) => error);
    expect(ran.code ?? 0, `${ran.stdout}\n${ran.stderr}`).toBe(0);
  });
});
