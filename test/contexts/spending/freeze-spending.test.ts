// POST /v1/spending/freeze
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/platform/log.js';
import { type RunningServer, startServer } from '../../../src/server.js';
import { balanceOf, pay, transferBody, twoWallets } from '../../factories/payment.js';
import { Client, type Json, openWallet, useHarness } from '../../harness.js';
import { expectInvalid, expectRefused } from '../../refusal.js';
import { meet } from '../../standstill.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
let second: RunningServer | undefined;

const freeze = (body: unknown = {}, options = {}) => harness.test.post('/v1/spending/freeze', body, options);
const unfreeze = () => harness.test.post('/v1/spending/unfreeze', {});

beforeEach(async () => void (await unfreeze()));
afterAll(() => second?.stop());

/** A client of another server on the same database. */
async function elsewhere(): Promise<Client> {
  const { config, clock, database } = harness.platform;
  const ready = { ...config, databaseUrl: database.url, secretsKey: config.secretsKey ?? '' };
  second ??= await startServer({ config: ready, log: createLogger('fatal'), clock, pollMs: 0 });
  return new Client(second.urls.test ?? '', harness.test.key);
}

describe('POST /v1/spending/freeze', () => {
  describe('200', () => {
    it('says since when and why, and to everybody who may read it', async () => {
      const { status, body } = await freeze({ reason: 'a leaked key' });
      const frozen = { frozen: true, reason: 'a leaked key', since: harness.clock.now().toISOString() };
      expect([status, body]).toEqual([200, { data: frozen }]);
      const { token } = await enrol(harness.test);
      for (const as of [harness.test.key, token]) expect((await harness.test.get('/v1/spending', { as })).body).toEqual({ data: frozen });
      expect((await harness.other.get('/v1/spending')).body).toEqual({ data: { frozen: false } });
      expect((await harness.live.get('/v1/spending')).body).toEqual({ data: { frozen: false } });
    });

    it('an empty body does', async () =>
      expect((await harness.test.post('/v1/spending/freeze')).body.data).toEqual({ frozen: true, since: expect.any(String) }));

    it('refuses transfers, holds, wrapping and captures, by whatever credential', async () => {
      const { from, to } = await twoWallets(harness.test, { funded: '100.00' });
      const held = await pay(harness.test, from, to, '20.00', { capture: 'manual' });
      const { agent, token } = await enrol(harness.test, { wallet: { currency: 'USD' } });
      await harness.test.make(`/v1/wallets/${agent.default_wallet_id}/fund`, { amount: '10.00' });
      await freeze();
      const spending: [string, object, string?][] = [
        ['/v1/transfers', transferBody(from, to, '1.00')],
        ['/v1/transfers', transferBody(from, to, '1.00', { capture: 'manual' })],
        ['/v1/transfers', transferBody({ id: agent.default_wallet_id, currency: 'USD' }, to, '1.00'), token],
        [`/v1/wallets/${from.id}/wrap`, { amount: '1.00' }],
        [`/v1/transfers/${held.id}/capture`, {}],
      ];
      for (const [path, body, as] of spending) {
        expectRefused(await harness.test.post(path, body, as === undefined ? {} : { as }), 403, 'workspace_frozen', {
          next_actions: [
            { rel: 'state', path: '/v1/spending' },
            { rel: 'unfreeze', actor: 'api_key', path: '/v1/spending/unfreeze' },
          ],
        });
      }
      expect(await balanceOf(harness.test, from)).toMatchObject({ available: '80.00', held: '20.00' });
    });

    it('lets money in, held money back, and everything be read', async () => {
      const { from, to } = await twoWallets(harness.test, { funded: '100.00' });
      const [cancelled, expired] = [
        await pay(harness.test, from, to, '20.00', { capture: 'manual' }),
        await pay(harness.test, from, to, '30.00', { capture: 'manual', hold_expires_in: 60 }),
      ];
      await freeze();
      await harness.test.make(`/v1/wallets/${from.id}/fund`, { amount: '1.00' });
      await harness.test.make(`/v1/transfers/${cancelled.id}/cancel`, {});
      await harness.advance(60);
      expect((await harness.test.get(`/v1/transfers/${expired.id}`)).body.data.status).toBe('cancelled');
      expect(await balanceOf(harness.test, from)).toMatchObject({ available: '101.00', held: '0.00' });
    });

    it('a scheduled transfer whose time comes meanwhile fails', async () => {
      const { from, to } = await twoWallets(harness.test);
      const at = new Date(harness.clock.now().getTime() + 60_000).toISOString();
      const scheduled = await pay(harness.test, from, to, '1.00', { scheduled_for: at });
      await freeze();
      await harness.advance(61);
      const { data } = (await harness.test.get(`/v1/transfers/${scheduled.id}`)).body;
      expect(data).toMatchObject({ status: 'failed', failure: { code: 'workspace_frozen' } });
    });

    it('is the first layer that a dry run shows, and the code of a spend that other layers refuse too', async () => {
      const { from, to } = await twoWallets(harness.test, { funded: '5.00' });
      await freeze();
      await harness.test.make(`/v1/wallets/${from.id}/freeze`, {});
      const tooMuch = transferBody(from, to, '7.00');
      expectRefused(await harness.test.post('/v1/transfers', tooMuch), 403, 'workspace_frozen');
      const { decision } = (await harness.test.post('/v1/transfers?dry_run=true', tooMuch)).body.data;
      expect(decision).toMatchObject({ outcome: 'deny', code: 'workspace_frozen' });
      expect(decision.checks[0]).toMatchObject({ layer: 'workspace', outcome: 'fail' });
      // Layers behind it that refuse too say so; the others were not asked.
      const failing = decision.checks.slice(1).filter(({ outcome }: Json) => outcome !== 'skipped');
      expect(failing).toMatchObject([{ layer: 'wallet', outcome: 'fail' }]);
    });

    it('stops no other workspace', async () => {
      const { from, to } = await twoWallets(harness.other);
      await freeze();
      expect((await harness.other.post('/v1/transfers', transferBody(from, to, '1.00'))).status).toBe(201);
    });

    it('takes effect once with a key, and a replay says how it stands', async () => {
      const headers = { 'Idempotency-Key': 'freeze-once' };
      await freeze({ reason: 'one' }, { headers });
      const again = await freeze({ reason: 'one' }, { headers });
      expect([again.status, again.headers.get('idempotent-replayed'), again.body.data.reason]).toEqual([200, 'true', 'one']);
    });
  });

  describe('over processes', () => {
    it('binds another server at once', async () => {
      const other = await elsewhere();
      const { from, to } = await twoWallets(harness.test);
      expect((await other.post('/v1/transfers', transferBody(from, to, '1.00'))).status).toBe(201);
      await freeze();
      expectRefused(await other.post('/v1/transfers', transferBody(from, to, '1.00')), 403, 'workspace_frozen');
      await unfreeze();
      expect((await other.post('/v1/transfers', transferBody(from, to, '1.00'))).status).toBe(201);
    });

    it('is answered when what passed before it is committed', async () => {
      const other = await elsewhere();
      const { from, to } = await twoWallets(harness.test);
      let received: Json;
      const [paid, frozen] = await meet(
        harness,
        'event',
        () => other.post('/v1/transfers', transferBody(from, to, '1.00')),
        async () => {
          const answer = await freeze();
          received = await balanceOf(harness.test, to);
          return answer;
        },
      );
      expect([paid.status, frozen.status]).toEqual([201, 200]);
      expect(received.available).toBe('1.00');
    });

    it('under load nothing is spent after its answer', async () => {
      const servers = [harness.test, await elsewhere()];
      const { from, to } = await twoWallets(harness.test, { funded: '1000.00' });
      const { wallet: third } = await openWallet(harness.test);
      let balance: Json;
      const spend = async (n: number) => {
        const codes: string[] = [];
        for (let round = 0; round < 30; round += 1) {
          const { status, body } = await (servers[n % 2] as Client).post('/v1/transfers', transferBody(from, n % 3 ? to : third, '0.01'));
          codes.push(status === 201 ? 'paid' : body.code);
          if (n === 0 && round === 5) {
            expect((await freeze()).status).toBe(200);
            balance = await balanceOf(harness.test, from);
          }
        }
        return codes;
      };
      const codes = (await Promise.all(Array.from({ length: 12 }, (_, n) => spend(n)))).flat();
      expect(new Set(codes)).toEqual(new Set(['paid', 'workspace_frozen']));
      expect(await balanceOf(harness.test, from)).toEqual(balance);
      const paid = codes.filter((code) => code === 'paid').length;
      expect(balance.available).toBe((1000 - paid / 100).toFixed(2));
    });
  });

  describe('400', () => {
    it('a reason of 501 characters', async () => expectInvalid(await freeze({ reason: 'x'.repeat(501) }), 'reason'));
    it('a member that it does not know', async () => expectInvalid(await freeze({ reasn: 'x' }), 'reasn'));
  });

  describe('403', () => {
    it('for an agent and a JWT session: it takes an API key', async () => {
      const { token } = await enrol(harness.test);
      const session = await harness.test.make('/v1/auth/session', { api_key: harness.test.key }, { as: null });
      for (const as of [token, session.token]) expectRefused(await freeze({}, { as }), 403, 'api_key_required');
      expect((await harness.test.get('/v1/spending')).body.data.frozen).toBe(false);
    });
  });

  describe('409', () => {
    it('when it is frozen already, as of two at once one is', async () => {
      const answers = await Promise.all([freeze({ reason: 'a' }), freeze({ reason: 'b' })]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      expectRefused(await freeze(), 409, 'state_conflict', {
        current_status: 'frozen',
        allowed_from: ['active'],
        next_actions: [{ rel: 'read', method: 'GET', path: '/v1/spending' }],
      });
    });
  });
});
