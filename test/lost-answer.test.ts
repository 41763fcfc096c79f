// What a caller is told when the connection to PostgreSQL breaks (CONTRACT.md 0 "When nobody knows"): who is told that nothing was changed
// finds nothing changed, and a request with an Idempotency-Key takes effect once, however often it is sent.
import { createHash, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Answer, type CallOptions, type Json, openWallet, useHarness } from './harness.js';
import { eachOf } from './hostile.js';
import { type Cut, type Sent, TcpProxy } from './proxy.js';

vi.setConfig({ testTimeout: 60_000 });
let proxy: TcpProxy;
const h = useHarness({
  route: async (url) => {
    proxy = await TcpProxy.open(url);
    return proxy.url;
  },
});
let wallets: { from: string; to: string };

beforeAll(async () => {
  const { account, wallet } = await openWallet(h.test, { funded: '100000.00' });
  const to = await h.test.make('/v1/wallets', { owner_type: 'account', owner_id: account.id, currency: 'USD' });
  wallets = { from: wallet.id, to: to.id };
});
afterEach(() => proxy.heal());
afterAll(() => proxy.close());

/** Prisma's statements are known by their name once they are prepared. */
const nameOf = (sql: string) => createHash('sha1').update(sql).digest('base64url');
const isRequest = ({ application }: Sent) => application.startsWith('agent-payments ');
const has =
  (...texts: string[]) =>
  (sent: Sent) =>
    isRequest(sent) && texts.some((text) => sent.text.includes(text));
const isCommit = has('COMMIT', nameOf('COMMIT'));
const isBegin = has('BEGIN', nameOf('BEGIN'));
const isPosting = has('ledger_post');

/** Cuts once, at the first message that `matches`, after one that is `past`. */
function cutOnce(where: Cut, matches: (sent: Sent) => boolean, past?: (sent: Sent) => boolean): void {
  let isPast = past === undefined;
  let isDone = false;
  proxy.onSent = (sent) => {
    if (isDone) return undefined;
    if (isPast && matches(sent)) {
      isDone = true;
      return where;
    }
    isPast ||= past?.(sent) === true;
    return undefined;
  };
}

interface Write {
  /** Sends the change; the marker is in what it makes. */
  send: (marker: string, options?: CallOptions) => Promise<Answer>;
  /** How often the change was made. */
  count: (marker: string) => Promise<number>;
}

const accountsNamed = (name: string) => h.platform.database.unscoped.account.count({ where: { name } });
const transfersWith = (marker: string) =>
  h.platform.database.unscoped.transfer.count({ where: { metadata: { path: ['marker'], equals: marker } } });
const transferBody = (marker: string) => ({
  type: 'internal',
  from_wallet_id: wallets.from,
  to_wallet_id: wallets.to,
  amount: '1.00',
  currency: 'USD',
  metadata: { marker },
});
const createAccount = 'mutation ($input: CreateAccountInput!) { createAccount(input: $input) { id wallets { nodes { id } } } }';

const writes: Record<string, Write> = {
  'a posting': { send: (marker, options) => h.test.post('/v1/transfers', transferBody(marker), options), count: transfersWith },
  'a transaction': {
    send: (marker, options) => h.test.post('/v1/accounts', { type: 'business', name: marker }, options),
    count: accountsNamed,
  },
  'a mutation of GraphQL': {
    send: (marker, options) => h.test.graphql(createAccount, { input: { type: 'business', name: marker } }, options),
    count: accountsNamed,
  },
};

/** The error of either face. */
function failureOf({ status, body, headers }: Answer): { status: number; code: string; retry: Json; after: string | null } {
  const { code, details } = body?.errors?.[0]?.extensions ?? body;
  return { status, code, retry: details?.retry, after: headers.get('retry-after') };
}

const safe = { status: 503, code: 'dependency_unavailable', retry: { safe: true, same_key: true, after_s: 1 }, after: '1' };
const unknown = { status: 503, code: 'dependency_unavailable', retry: { safe: false }, after: '1' };

describe('a connection that is cut', () => {
  const commits: Record<string, (sent: Sent) => boolean> = {
    'a posting': isPosting,
    'a transaction': isCommit,
    'a mutation of GraphQL': isCommit,
  };
  for (const [name, { send, count }] of Object.entries(writes)) {
    const isLast = commits[name] as (sent: Sent) => boolean;

    it(`after ${name} was committed: nobody knows, and the change is there`, async () => {
      const marker = randomUUID();
      cutOnce('answered', isLast);
      expect(failureOf(await send(marker))).toEqual(unknown);
      expect(await count(marker)).toBe(1);
    });

    it(`before ${name} is committed: nobody knows`, async () => {
      const marker = randomUUID();
      cutOnce('before', isLast);
      expect(failureOf(await send(marker))).toEqual(unknown);
      expect(await count(marker)).toBe(0);
    });

    it(`after ${name} with a key was committed: the same request has one effect`, async () => {
      const marker = randomUUID();
      const headers = { 'Idempotency-Key': marker };
      cutOnce('answered', isLast);
      const first = await send(marker, { headers });
      if (first.status === 503) expect(failureOf(first)).toEqual(safe);
      proxy.heal();
      const again = await send(marker, { headers });
      expect(again.status, JSON.stringify(again.body)).toBeLessThan(300);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(await count(marker)).toBe(1);
    });
  }

  for (const where of ['before', 'after', 'answered'] as const) {
    it(`${where} BEGIN, or within a transaction: nothing was changed`, async () => {
      for (const isThere of [isBegin, has('"public"."account"')]) {
        const marker = randomUUID();
        // The first statement on accounts that is no part of a transaction would be another case.
        cutOnce(where, isThere, isThere === isBegin ? undefined : isBegin);
        expect(failureOf((await writes['a transaction']?.send(marker)) as Answer)).toEqual(safe);
        expect(await accountsNamed(marker)).toBe(0);
      }
    });

    it(`${where} a read: nothing was changed`, async () => {
      cutOnce(where, isRequest);
      expect(failureOf(await h.test.get('/v1/accounts'))).toEqual(safe);
      cutOnce(where, isRequest);
      expect(failureOf(await h.test.graphql('{ accounts { nodes { id } } }'))).toEqual(safe);
    });
  }

  it('while the answer to a change that was committed is read: nobody knows', async () => {
    const marker = randomUUID();
    cutOnce('before', isRequest, isCommit);
    expect(failureOf(await (writes['a mutation of GraphQL'] as Write).send(marker))).toEqual(unknown);
    expect(await accountsNamed(marker)).toBe(1);
  });

  it('while the credential is looked up: nothing was changed', async () => {
    const marker = randomUUID();
    h.platform.cache.clear();
    cutOnce('answered', isRequest);
    expect(failureOf(await (writes['a transaction'] as Write).send(marker))).toEqual(safe);
    expect(await accountsNamed(marker)).toBe(0);
  });
});

describe('a database that refuses', () => {
  beforeAll(async () => {
    await h.platform.database.pool.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = substr(NEW.name, 9); END $$`);
    await h.platform.database.pool.query(`
      CREATE TRIGGER refuse BEFORE INSERT ON account FOR EACH ROW WHEN (NEW.name LIKE 'SQLSTATE%') EXECUTE FUNCTION refuse()`);
  });

  for (const code of ['57014', '55P03', '53100', '53200', '53300', '25006', '58030']) {
    it(`${code}: 503, and nothing was changed`, async () => {
      for (const name of ['a transaction', 'a mutation of GraphQL']) {
        const answer = await (writes[name] as Write).send(`SQLSTATE${code}`);
        expect(failureOf(answer)).toEqual(safe);
        expect(JSON.stringify(answer.body)).not.toContain('refused');
      }
      expect(await accountsNamed(`SQLSTATE${code}`)).toBe(0);
    });
  }
});

describe('a network that cuts at random', () => {
  it('lets no promise be broken', async ({ annotate }) => {
    const cuts: Cut[] = ['before', 'after', 'answered'];
    let count = 0;
    // Every seventh message, each time another way.
    proxy.onSent = (sent) => {
      if (!isRequest(sent)) return undefined;
      count += 1;
      return count % 7 === 0 ? cuts[count % cuts.length] : undefined;
    };
    const told = { acknowledged: 0, safe: 0, unknown: 0 };
    const check: (() => Promise<void>)[] = [];
    const run = async (n: number) => {
      const [name, { send, count }] = Object.entries(writes)[n % 3] as [string, Write];
      const marker = randomUUID();
      const isKeyed = n % 2 === 0;
      const headers = isKeyed ? { 'Idempotency-Key': marker } : {};
      const answer = await send(marker, { headers });
      if (answer.status < 300) {
        told.acknowledged += 1;
        check.push(async () => expect(await count(marker), `${name}, acknowledged`).toBe(1));
        return;
      }
      const { status, code, retry } = failureOf(answer);
      expect([status, code], JSON.stringify(answer.body)).toEqual([503, 'dependency_unavailable']);
      if (isKeyed) {
        expect(retry).toEqual(safe.retry);
        check.push(async () => {
          await expect.poll(async () => (await send(marker, { headers })).status, { interval: 20, timeout: 10_000 }).toBeLessThan(300);
          expect(await count(marker), `${name}, sent again with its key`).toBe(1);
        });
      } else if (retry.safe) {
        told.safe += 1;
        check.push(async () => expect(await count(marker), `${name}, told that nothing was changed`).toBe(0));
      } else {
        told.unknown += 1;
        check.push(async () => expect(await count(marker), `${name}, nobody knows`).toBeLessThanOrEqual(1));
      }
    };
    await eachOf(
      Array.from({ length: 120 }, (_, n) => n),
      run,
      6,
    );
    proxy.heal();
    await eachOf(check, (one) => one(), 6);
    await annotate(JSON.stringify(told));
    for (const times of Object.values(told)) expect(times).toBeGreaterThan(0);
  });
});
