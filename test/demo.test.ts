// `npm run demo` against a running server, whose mail is read: the story is played to its end, and the link that it follows was mailed.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { hasAnvil } from './chain/anvil.js';
import { startMailServer } from './mail-server.js';
import { newDatabase } from './new-database.js';
import { runCli } from './process.js';
import { ServerOnDatabase } from './server-database.js';
import { isSlow } from './slow.js';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const mailServer = await startMailServer();
let server: ServerOnDatabase;
beforeAll(async () => {
  server = await ServerOnDatabase.start({ ...mailServer.env, RATE_LIMIT_AUTH: '1000', RATE_LIMIT_LOGIN: '1000' });
});
afterAll(() => server?.stop());

it('plays the demo, in a tenant of its own', async () => {
  const { code, stdout, stderr } = await runCli(['demo', '--url', server.sandbox.url], { ...server.env, BOOTSTRAP_TEST_KEY: '' });
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout).toContain('A paid once, B was paid, the overdraft was refused, the trial balance is zero.');
  expect(stdout).toContain('it paid, asked for more, and paid when two people had said yes.');
  expect(stdout).toContain('Carol follows the link of the mail');
  // The file is whole by its own keys, then by the key of the log, then broken by one byte.
  expect(stdout.match(/^ {3}(WHOLE: format|BROKEN at \w+|exit \d)/gm)).toEqual(
    ['WHOLE: format', 'exit 3', 'WHOLE: format', 'exit 0', 'BROKEN at format', 'exit 1'].map((line) => `   ${line}`),
  );
  expect(stdout).toContain('Paid: 12.50 USDC');
  expect(stdout).toContain('Delivered, says the payee: SHA-256');
  const [, link = 'nothing'] = /GET (\/console\/approvals\/\S+)/.exec(stdout) ?? [];
  const mailed = () => mailServer.mails.filter(({ text }) => text?.includes(link)).map(({ recipient }) => recipient);
  await expect.poll(mailed).toEqual(expect.arrayContaining(['bob@example.com', 'carol@example.com']));
  // What lets somebody in is not shown.
  for (const secret of ['join_', 'cnxt_', 'cnxr_']) expect(stdout).not.toMatch(new RegExp(`${secret}[\\w-]{20}`));
  await server.expectBalanced();
});

it.runIf(isSlow && hasAnvil)('plays real money over a chain, in a platform of its own', async () => {
  const database = await newDatabase();
  try {
    const { code, stdout, stderr } = await runCli(['demo', '--chain'], {
      DATABASE_URL: database.url,
      SECRETS_KEY: randomBytes(32).toString('hex'),
    });
    expect([stderr, code]).toEqual(['', 0]);
    expect(stdout).toContain('"difference": "0.00"');
    expect(stdout).toContain('25.00 came in over the chain, 10.00 went out, once, and the chain agrees with the ledger.');
  } finally {
    await database.drop();
  }
});
