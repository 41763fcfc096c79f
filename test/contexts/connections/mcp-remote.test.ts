// mcp-remote, as editors start it, connects with an address and nothing else; a person consents in a real browser. It lists tools, pays, is
// refused, and is revoked. Skipped where it is not installed.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConsoleBrowser, hasBrowser } from '../../factories/console-browser.js';
import { type Json, openWallet, useHarness } from '../../harness.js';
import { callsOf } from '../../mcp/client.js';
import { mcpRemote } from '../../oracles/installed.js';
import { join, type Person, password } from '../people/browser.js';
import { allow, Browser, send } from './program.js';

const harness = useHarness();
const patience = { timeout: 60_000 };

/** What opens the address that mcp-remote asks to be opened, as a person who pays from an account. */
type Consent = (address: string, owner: Person, accountId: string) => Promise<void>;

describe.skipIf(mcpRemote === undefined)('mcp-remote', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'mcp-remote-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function connectsAndPays(consent: Consent): Promise<void> {
    const owner = await join(harness, 'owner');
    const payer = await openWallet(harness.test, { funded: '50.00' });
    const shop: Json = await openWallet(harness.test, { name: 'Shop' });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [mcpRemote as string, `${harness.test.url}/mcp`],
      // Its browser is ours: what it would open by itself ends at once.
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, MCP_REMOTE_CONFIG_DIR: folder, BROWSER: '/bin/true' },
      stderr: 'pipe',
    });
    let said = '';
    transport.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const client = new Client({ name: 'editor', version: '1' });
    const connecting = client.connect(transport as Parameters<Client['connect']>[0], patience);
    const address = await vi.waitUntil(() => /visiting:\s*(http\S+)/.exec(said)?.[1], { ...patience, interval: 50 });
    await consent(address, owner, payer.account.id);
    await connecting;

    const { names, call, refused } = callsOf(client);
    expect(await names()).toContain('whoami');
    const { data: me } = await call('whoami');
    const { data: connection } = (await harness.test.get(`/v1/connections/${me.connection.id}`)).body;
    expect(connection).toMatchObject({
      status: 'active',
      member: { id: owner.id },
      redirect_host: expect.stringMatching(/^localhost:|^127/),
    });
    const [own] = me.wallets.filter((one: Json) => one.owner_type === 'agent');
    const fill = { type: 'internal', from_wallet_id: payer.wallet.id, to_wallet_id: own.id, amount: '40.00', currency: 'USD' };
    await harness.test.make('/v1/transfers', fill);
    const payment = { from_wallet_id: own.id, to_wallet_id: shop.wallet.id, currency: 'USD' };
    expect(await call('pay', { ...payment, amount: '5.00' })).toMatchObject({ data: { status: 'completed' } });
    expect(await refused('pay', { ...payment, amount: '16.00' })).toMatchObject({ code: 'budget_exceeded' });
    await harness.test.delete(`/v1/connections/${connection.id}`);
    const more = { name: 'pay', arguments: { ...payment, amount: '1.00' } };
    await expect(client.callTool(more, undefined, { timeout: 5_000 })).rejects.toThrow();
    expect((await harness.test.get(`/v1/wallets/${own.id}`)).body.data.balance.available).toBe('35.00');
    await client.close();
  }

  it('is let in by a person, lists tools, pays 5 of 20, is refused 16, and is revoked', { timeout: 180_000 }, () =>
    connectsAndPays(async (address, owner, accountId) => {
      const navigator = new Browser();
      const uid =
        String((await navigator.open(address)).headers['location'])
          .split('/')
          .at(-1) ?? '';
      const agent = { name: 'Editor', parent_account_id: accountId, currency: 'USD' };
      const { body } = await allow(owner, navigator, uid, { agent });
      const back = await navigator.open(body.data.redirect_to);
      expect((await send(String(back.headers['location']))).status).toBe(200);
    }),
  );

  it.skipIf(!hasBrowser)('does the same with Chromium as its browser', { timeout: 180_000 }, async () => {
    const chromium = await ConsoleBrowser.start();
    try {
      await connectsAndPays(async (address, owner, accountId) => {
        const page = await chromium.newPage(harness.test.url);
        await page.goto(address);
        await page.getByLabel('E-mail').fill(owner.email, patience);
        await page.getByLabel('Password').fill(password);
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await page.getByLabel('It acts as the agent').selectOption('new', patience);
        await page.getByLabel('Name of the new agent').fill('Editor of Ada');
        await page.getByLabel('It acts for').selectOption(accountId);
        await page.getByLabel('It spends at most').fill('20.00');
        await page.getByRole('button', { name: 'Allow', exact: true }).click();
      });
    } finally {
      await chromium.stop();
    }
  });
});
