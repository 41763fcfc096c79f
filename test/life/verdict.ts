// Whether a platform has become what the model of a random life says.
import { expect } from 'vitest';
import { verifyPack } from '../../verify/src/verify.js';
import { ask, make, type Server } from '../load.js';
import { minor, type Player } from './player.js';
import { type Payment, type Purse, World } from './world.js';

/** A world of five wallets, two of them with money. */
export async function newWorld(sandbox: Server): Promise<World> {
  const world = new World();
  await ask(sandbox, 'PUT', '/v1/rates', { rates: [{ from: 'USD', to: 'EUR', rate: '0.5' }] });
  for (const [currency, funded] of [
    ['USD', 100_000n],
    ['USD', 100_000n],
    ['USD', 0n],
    ['EUR', 0n],
    ['EUR', 0n],
  ] as const) {
    const account = await make(sandbox, '/v1/accounts', { type: 'business', name: 'Somebody' });
    const { id } = await make(sandbox, '/v1/wallets', { owner_type: 'account', owner_id: account.id, currency });
    if (funded > 0n) await make(sandbox, `/v1/wallets/${id}/fund`, { amount: `${funded / 100n}` });
    world.purses.push({ id, currency, available: funded, held: 0n, wrapped: 0n, isFrozen: false });
  }
  return world;
}

/** Every wallet has what the model says. */
export async function expectBalances(player: Player, purses: readonly Purse[]): Promise<void> {
  for (const { id, available, held, wrapped } of purses) {
    const { balance } = await player.read(`/v1/wallets/${id}`);
    expect([minor(balance.available), minor(balance.held), minor(balance.wrapped)], id).toEqual([available, held, wrapped]);
  }
}

/** Every transfer is what the model says, and there is no other between its wallets. */
export async function expectTransfers(player: Player, { payments, purses }: World): Promise<void> {
  const own = new Set(purses.map(({ id }) => id));
  const all = (await player.list('/v1/transfers')).filter(({ from_wallet_id: from, to_wallet_id: to }) => own.has(from) || own.has(to));
  const found = new Map(all.map((transfer) => [transfer.id, transfer]));
  for (const { id, status, sent, refunded } of payments.values()) {
    const transfer = found.get(id);
    expect([transfer.status, minor(transfer.amount), minor(transfer.refunded_amount)], id).toEqual([status, sent, refunded]);
  }
  // What the model did not make are the two fundings and the refunds.
  const others = [...found.keys()].filter((id) => !payments.has(id));
  const refunds = [...payments.values()].reduce((sum, payment) => sum + payment.refunds, 0);
  expect(others).toHaveLength(2 + refunds);
}

/** Each event once, and in an order in which it can have happened. */
export async function expectEvents(player: Player, payments: ReadonlyMap<string, Payment>): Promise<void> {
  const told = new Map<string, string[]>();
  for (const { type, data } of (await player.list('/v1/events')).reverse()) {
    const id = String(data.transfer_id ?? '').slice('tx_'.length);
    told.set(id, [...(told.get(id) ?? []), type]);
  }
  const ending = { completed: ['transfer.completed'], failed: ['transfer.failed'], pending: [], cancelled: [] };
  for (const { id, status, refunds } of payments.values()) {
    const refunded = Array.from({ length: refunds }, () => 'transfer.refunded');
    expect(told.get(id), id).toEqual(['transfer.created', ...ending[status], ...refunded]);
  }
}

/** Every completed transfer has a pack that is whole. */
export async function expectPacks(player: Player, { sandbox }: { sandbox: Server }): Promise<void> {
  const completed = (await player.list('/v1/transfers')).filter(({ status }) => status === 'completed');
  for (const { id } of completed) {
    const response = await fetch(`${sandbox.url}/v1/transfers/${id}/evidence`, { headers: { Authorization: `Bearer ${sandbox.key}` } });
    expect(verifyPack(await response.text()), id).toMatchObject({ outcome: 'own' });
  }
  expect(completed.length).toBeGreaterThan(2);
}
