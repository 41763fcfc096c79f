// A kind of rail for tests, and a platform whose RAILS_FILE names rails of it. What leaves by one arrives at a far side that a test can stop.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, vi } from 'vitest';
import { z } from 'zod';
import { tenantWorkspace } from '../../../src/contexts/identity/tenant.js';
import { configuredRail, configuredRails } from '../../../src/contexts/rails/configured-rails.js';
import { countOrder, dayOf, expectedAt, settleOrder, waitOrder } from '../../../src/contexts/rails/connector-order.js';
import { depart } from '../../../src/contexts/rails/departure.js';
import { examine, lookAt } from '../../../src/contexts/rails/doctor.js';
import {
  type ConfiguredRail,
  type Finding,
  type RailHoldings,
  type RailKind,
  type RailSetting,
  railKinds,
} from '../../../src/contexts/rails/rail-kind.js';
import { readSecret, type SecretPlace, type SecretRef, secretRef } from '../../../src/contexts/rails/secret.js';
import { fundWallet } from '../../../src/contexts/transfers/funding.js';
import type { ConnectorOrder } from '../../../src/generated/prisma/client.js';
import { addSeconds } from '../../../src/platform/clock.js';
import type { Ctx } from '../../../src/platform/ctx.js';
import { systemCtx } from '../../../src/platform/due/step.js';
import { NamedParts } from '../../../src/platform/extension.js';
import { address } from '../../factories/payout.js';
import { type Answer, type HarnessOptions, type Json, openWallet, useHarness } from '../../harness.js';

/** What is there beyond the rail. */
export class FarSide {
  /** What has reached it: ids of orders. */
  readonly arrived: string[] = [];
  /** What the checks of the rail find wrong; null: nothing. */
  problem: string | null = null;
  /** What it holds for us, minor units; null: it does not say. */
  money: bigint | null = 0n;
  /** What happens to an order that has arrived; by default it is settled at once. */
  follow: (ctx: Ctx, order: ConnectorOrder) => Promise<void> = settleOrder;
  /** Awaited before something arrives. */
  before: (signal: AbortSignal) => Promise<void> = async () => {};

  reset(): void {
    this.arrived.length = 0;
    Object.assign(this, { problem: null, money: 0n, follow: settleOrder, before: async () => {} });
  }

  async receive(id: string, signal: AbortSignal): Promise<void> {
    await this.before(signal);
    this.arrived.push(id);
  }
}

/** The one of the tests of a file. */
export const farSide = new FarSide();

interface Own {
  secret?: SecretRef;
  account?: string;
}

async function open(setting: RailSetting, { secret }: Own, place: SecretPlace): Promise<ConfiguredRail> {
  if (secret !== undefined) await readSecret(secret, place);
  const rail: ConfiguredRail = {
    ...setting,
    directions: ['out'],
    network: 'eip155:8453',
    checks: [{ name: 'far side', isCheap: true, stops: true, run: async () => [finding()] }],
    checkDestination: () => {},
    step: (ctx, order) => step(ctx, rail, order),
    balances: async () => [{ where: 'far side', amount: '12.5', unit: setting.currency }],
    holdings: async () => holdings(),
    extensions: [],
  };
  return rail;
}

async function holdings(): Promise<RailHoldings> {
  const { money } = farSide;
  if (money === null) throw new Error('the far side is silent');
  return {
    at: { block: 7, hash: `0x${'7'.repeat(64)}`, time: new Date('2026-03-02T10:00:00.000Z') },
    outside: [{ where: 'far side', amount: money }],
    books: async () => ({ inFlight: 0n, explained: [{ reason: 'put_in', amount: 500n, count: 2, newest: ['0x01', '0x02'] }] }),
  };
}

function finding(): Omit<Finding, 'check'> {
  const { problem } = farSide;
  return problem === null
    ? { ok: true, found: 'it answers', wanted: 'an answer', fix: null }
    : { ok: false, found: problem, wanted: 'an answer', fix: 'Mend it.' };
}

/** The day of an order, then its way, then what becomes of it. */
async function step(ctx: Ctx, rail: ConfiguredRail, order: ConnectorOrder): Promise<void> {
  const at = ctx.clock.now();
  let isFull = false;
  const departed = await depart(
    ctx.platform,
    { rail: rail.name, what: `order ${order.id}` },
    async (tx) => {
      isFull = !(await countOrder(tx, rail, order, at));
      return isFull ? null : { value: order.id, facts: [] };
    },
    (id, signal) => farSide.receive(id, signal),
  );
  if ('sent' in departed) return farSide.follow(ctx, order);
  const tomorrow = addSeconds(dayOf(at), 86_400);
  if (isFull) await waitOrder(ctx, order, tomorrow, expectedAt(rail, tomorrow));
  else await waitOrder(ctx, order, addSeconds(at, 60));
}

export const testKind: RailKind<Own> = {
  shape: { secret: secretRef.optional(), account: z.string().optional() },
  currencyOf: (name) => (name.startsWith('usdc-') ? 'USDC' : name === 'wire' ? 'USD' : null),
  names: 'it carries USDC by usdc-<name>, and USD by wire',
  expectedSeconds: 600,
  open,
  conflicts: (rails) =>
    rails.flatMap(({ name, own: { account } }, at) =>
      account !== undefined && rails.slice(0, at).some(({ own }) => own.account === account)
        ? [{ name, member: 'account', problem: 'is the account of another rail' }]
        : [],
    ),
};

/** The kinds that a process has which knows this one. */
export const testKinds = new NamedParts('kinds of rails', [{ test: async () => testKind as RailKind }]);

/** Limits that no test reaches without meaning to. */
export const plenty = 'limits: {per_order: "1000.00", per_day: "100000.00", per_day_count: 10000}';

/** The text of a file. */
export const railsText = (...rails: string[]) => `version: 1\nrails:\n${rails.map((rail) => `  ${rail}\n`).join('')}`;

/** A platform whose file names rails of the test kind. */
export function useRails(rails: readonly string[] = [`usdc-base: {kind: test, ${plenty}}`], options: HarnessOptions = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'rails-'));
  const file = path.join(folder, 'rails.yaml');
  writeFileSync(file, railsText(...rails));
  const gather = railKinds.gather;
  beforeAll(() => {
    vi.spyOn(railKinds, 'gather').mockImplementation((parts) => gather([...parts, { test: async () => testKind as RailKind }]));
  });
  const harness = useHarness({ ...options, env: { ...options.env, RAILS_FILE: file } });
  beforeAll(async () => {
    harness.platform.extensions.of(configuredRails).operator = harness.tenantId;
    harness.platform.cache.drop('operator:live');
  });
  beforeEach(() => farSide.reset());
  afterAll(() => {
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });
  const liveCtx = async () => {
    const workspace = await tenantWorkspace(harness.platform, harness.tenantId, 'live');
    if (workspace === null) throw new Error('the tenant has no workspace in production');
    return systemCtx(harness.platform, workspace, { action: 'test' });
  };
  return {
    harness,
    file,
    liveCtx,
    rail: (name = 'usdc-base') => configuredRail(harness, name) as ConfiguredRail,
    /** Finds a rail in order, and switches it. */
    async turn(name = 'usdc-base', to: 'on' | 'draining' | 'off' = 'on'): Promise<Answer> {
      await examine(harness.platform, configuredRail(harness, name) as ConfiguredRail);
      return harness.live.post(`/v1/rails/${name}/switch`, { to, reason: 'a test' });
    },
    look: (name = 'usdc-base') => lookAt(harness.platform, configuredRail(harness, name) as ConfiguredRail),
    /** A wallet of production with money. */
    async wallet(amount = '1000.00', client = harness.live): Promise<Json> {
      const { wallet } = await openWallet(client, { currency: 'USDC' });
      const ctx = await liveCtx();
      await fundWallet({ ...ctx, workspace: { ...ctx.workspace, environment: 'test' } }, { id: wallet.id, amount });
      return wallet;
    },
    payout: (wallet: Json, extra: object = {}, client = harness.live): Promise<Answer> =>
      client.post('/v1/payouts', {
        wallet_id: wallet.id,
        amount: '100.00',
        currency: 'USDC',
        destination: { type: 'wallet', ref: address },
        ...extra,
      }),
  };
}

/** Fails unless an answer is a success; its data. */
export function dataOf({ status, body }: Answer, wanted = 201): Json {
  expect([status, body]).toEqual([wanted, { data: expect.anything() }]);
  return body.data;
}
