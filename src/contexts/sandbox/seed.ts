// Seeding a sandbox: a known world with fresh references, whose ids and credentials are in the answer (CONTRACT.md 19).
import { randomBytes } from 'node:crypto';
import type { Ctx } from '../../platform/ctx.js';
import { IdempotencyInFlight, keyKind, transact } from '../../platform/idempotency.js';
import { requireTestMode } from './clock.js';
import { type Scenario, scenes } from './scenario.js';
import { type Seed, SeedWorld } from './seed-world.js';

/** The ctx for the many requests that one is made of: each in a transaction of its own, without the key of the whole. */
export function inSteps(ctx: Ctx, action: string): Ctx {
  const { idempotency: _, ...rest } = ctx;
  return { ...rest, act: { action } };
}

// Gap G-370: A repeated seed answers the world that the first one made, without credentials.
// Gap G-393: A seed or reset that fails answers what stopped it and uses no key; what it has done stays.
/**
 * Makes the world of a scenario. 403 `test_mode_only` in production. What a repeated key is answered is the world that there is, without
 * credentials; one that fails on the way has used no key.
 */
export async function seedSandbox(ctx: Ctx, scenario: Scenario): Promise<Seed> {
  requireTestMode(ctx);
  await refuseUsedKey(ctx);
  const tag = `seed-${randomBytes(4).toString('hex')}`;
  const world = new SeedWorld(inSteps(ctx, 'seedSandbox'), scenario, tag);
  await scenes[scenario](world);
  await storeKey(ctx, `${scenario} ${tag}`);
  return world.seed;
}

/** Throws for a key that was used, before the first step of a request that is made of many: it is answered as a repeated one. */
export async function refuseUsedKey({ db, idempotency }: Ctx): Promise<void> {
  if (idempotency === undefined) return;
  const used = await db.claim.findFirst({ where: { kind: keyKind, key: idempotency.key }, select: { key: true } });
  if (used !== null) throw new IdempotencyInFlight();
}

/** Takes the key after the last step: whatever has a key was done to its end. */
export async function storeKey(ctx: Ctx, reference: string): Promise<void> {
  if (ctx.idempotency === undefined) return;
  await transact(
    { ...ctx, act: null },
    async () => null,
    () => reference,
  );
}

/** What a repeated key is answered: the accounts with its references, and what is theirs. */
export async function seeded({ db }: Ctx, reference: string): Promise<Seed> {
  const [scenario = '', tag = ''] = reference.split(' ');
  const accounts = await db.account.findMany({
    where: { customerReference: { startsWith: `${tag}-` } },
    orderBy: { id: 'asc' },
    select: { id: true, name: true, customerReference: true },
  });
  const owned = { accountId: { in: accounts.map(({ id }) => id) } };
  const oldest = { orderBy: { id: 'asc' } } as const;
  const [wallets, agents, merchants] = await Promise.all([
    db.wallet.findMany({ where: owned, ...oldest }),
    db.agent.findMany({ where: { parentAccountId: owned.accountId }, ...oldest }),
    db.merchant.findMany({ where: owned, ...oldest }),
  ]);
  return {
    scenario,
    accounts: accounts.map(({ customerReference, ...account }) => ({ ...account, customerReference: customerReference ?? '' })),
    wallets: wallets.map(({ id, name, ownerType, agentId, accountId, currency }) => {
      return { id, name: name ?? '', ownerType, ownerId: agentId ?? accountId, currency };
    }),
    agents: agents.map(({ id, name }) => {
      const walletId = wallets.find(({ agentId }) => agentId === id)?.id ?? '';
      return { id, name, walletId, token: null, privateKey: null };
    }),
    merchants: merchants.map(({ id, name }) => ({ id, name })),
    things: [],
  };
}
