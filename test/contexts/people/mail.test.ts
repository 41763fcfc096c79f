// Mail to people: what an SMTP server is given, and what is left of it.
import type { ParsedMail } from 'mailparser';
import { expect, it } from 'vitest';
import { tenantWorkspace } from '../../../src/contexts/identity/tenant.js';
import { queueMail } from '../../../src/contexts/people/mail.js';
import { systemCtx } from '../../../src/platform/due/step.js';
import { transact } from '../../../src/platform/idempotency.js';
import { useHarness } from '../../harness.js';
import { startMailServer } from '../../mail-server.js';
import { Browser, join, password, tokenOf } from './browser.js';

const server = await startMailServer();
const { mails } = server;
const harness = useHarness({ env: server.env });
const invite = 'mutation ($input: CreateInvitationInput!) { createInvitation(input: $input) { id link } }';

async function linkIn(mail: ParsedMail | undefined): Promise<string> {
  return /http:\S+/.exec(mail?.text ?? '')?.[0] ?? '';
}

it('carries the link of an invitation, which no answer has then, and nothing from elsewhere', async () => {
  const owner = await join(harness, 'owner');
  const { createInvitation } = await owner.browser.ask(invite, { input: { email: 'grace@example.com', role: 'viewer' } });
  expect(createInvitation.link).toBeNull();
  expect(mails).toEqual([]);
  await harness.runDue();
  expect(mails).toHaveLength(1);
  const [mail] = mails.splice(0);
  expect(mail?.from?.text).toBe('"Payments" <payments@example.com>');
  expect([mail?.to].flat().map((to) => to?.text)).toEqual(['grace@example.com']);
  expect(mail?.html).not.toMatch(/<img|src=|url\(|<script|<link/i);
  const token = tokenOf(await linkIn(mail));
  expect((await new Browser(harness.test).post('/v1/login/join', { token, name: 'Grace', password })).status).toBe(201);
  // What it said is forgotten, and it was sealed while it waited.
  const { rows } = await harness.platform.database.pool.query('SELECT sealed, sent_at IS NOT NULL AS sent FROM mail');
  expect(rows).toEqual([{ sealed: null, sent: true }]);
});

it('brings a link to who lost the password, and says nothing to anybody else', async () => {
  const { email } = await join(harness, 'owner');
  const ask = (to: string) => new Browser(harness.test).post('/v1/login/recover', { email: to });
  const [known, unknown] = [await ask(email.toUpperCase()), await ask('nobody@example.com')];
  expect([known.status, known.body.data]).toEqual([202, { accepted: true }]);
  expect([unknown.status, unknown.body.data]).toEqual([202, { accepted: true }]);
  const { pool } = harness.platform.database;
  await expect.poll(async () => (await pool.query('SELECT FROM mail WHERE due_at IS NOT NULL')).rowCount, { timeout: 5_000 }).toBe(1);
  await harness.runDue();
  const token = tokenOf(await linkIn(mails.splice(0)[0]));
  const browser = new Browser(harness.test);
  expect((await browser.post('/v1/login/join', { token, password: 'another olive quartz tide' })).status).toBe(201);
  expect((await new Browser(harness.test).signIn(email, 'another olive quartz tide')).status).toBe(200);
});

it('is sent again when the server refuses it, and has no header that somebody wrote into it', async () => {
  const workspace = await tenantWorkspace(harness.platform, harness.tenantId, 'test');
  if (workspace === null) throw new Error('no workspace');
  const ctx = systemCtx(harness.platform, workspace, { action: 'test' });
  const subject = 'Hello\r\nBcc: everybody@example.com\r\n\r\nbody';
  const said = {
    to: 'ada@example.com',
    subject,
    paragraphs: ['<b>bold</b> & "quoted"'],
    link: { label: 'Go', url: 'http://localhost/#"><i>' },
  };
  await transact(ctx, async (tx) => ({ id: String(await queueMail(ctx, tx, said)) }));
  await expect(
    transact(ctx, async (tx) => ({ id: String(await queueMail(ctx, tx, { ...said, to: 'a@b.example\r\nBcc: c@d.example' })) })),
  ).rejects.toThrow();
  server.refuses = true;
  await harness.runDue();
  expect(mails).toEqual([]);
  server.refuses = false;
  await harness.advance(59);
  expect(mails).toEqual([]);
  await harness.advance(1);
  const [mail] = mails.splice(0);
  expect(mail?.bcc).toBeUndefined();
  expect(mail?.subject).toBe('Hello Bcc: everybody@example.com body');
  expect(mail?.html).toContain('&lt;b&gt;bold&lt;/b&gt; &amp; &quot;quoted&quot;');
  expect(mail?.html).not.toContain('<i>');
});
