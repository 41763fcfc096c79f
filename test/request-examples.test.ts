// Each request example of the API document is sent to a sandbox, and the platform takes it. What only a real object has is put in: its id, and
// what somebody has signed.
import { beforeAll, describe, expect, it } from 'vitest';
import { dayOf, withExamplesOf } from '../src/http/example-date.js';
import { challengeOf, enrol, sign } from './contexts/agents/identity.js';
import { bodyOf, madeSeeds, prepare } from './example.js';
import { newPayer, newPayout } from './factories/payout.js';
import { type Json, useHarness } from './harness.js';
import { document } from './openapi.js';
import { type Operation, operations, pathOf, type Seeds, seedOf } from './operation.js';
import { saveWorld } from './saved-world.js';

const harness = useHarness();
let seeds: Seeds;
let restore: () => Promise<void>;

beforeAll(async () => {
  seeds = await madeSeeds(harness);
  restore = await saveWorld(harness.platform);
}, 120_000);

/** Ids with and without a prefix, JWTs, and addresses of what has to be there. */
const made = /^([a-z]\w*_)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^eyJ/;

/** A copy in which every id is that of the object which its member names, and what `own` has takes the place of what is made up. */
function withRealIds(value: Json, own: Json, around: Seeds, name = ''): Json {
  if (Array.isArray(value)) return value.map((item) => withRealIds(item, own?.[0], around, name.replace(/s$/, '')));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withRealIds(member, own?.[key], around, key)]));
  if (typeof value !== 'string' || !made.test(value)) return value;
  return typeof own === 'string' ? own : (seedOf(name, around) ?? value);
}

/** What an example is about that no other test of all operations needs: what a member is instead, and other objects that are named. */
const special: Record<string, () => Promise<{ members?: object; objects?: Seeds }>> = {
  authenticateAgent: async () => {
    const { id, uuid, privateKey } = await enrol(harness.test);
    const challenge = await challengeOf(harness.test, id);
    return { members: { challenge, signature: sign(challenge, privateKey) }, objects: { agent: uuid } };
  },
  createAuthSession: async () => ({ members: { api_key: harness.test.key } }),
  settleTransfer: async () => ({ objects: { transfer: (await submitted()).transfer_id } }),
  // Some of it has flowed.
  withdrawStream: async () => {
    harness.clock.advance(600);
    return {};
  },
  createX402Endpoint: async () => {
    const owner = { owner_type: 'account', owner_id: seeds['account'] };
    await harness.test.make('/v1/wallets', { ...owner, currency: 'USDC' });
    return {};
  },
  returnPayout: async () => {
    const payout = await submitted();
    await harness.advance(30);
    return { objects: { payout: payout.id } };
  },
};

/** A payout that its rail has. */
async function submitted(): Promise<Json> {
  const payout = await newPayout(harness.test, await newPayer(harness.test, 'spei'));
  await harness.runDue();
  return payout;
}

type WithExample = Operation & { example: Json };
const withExample: WithExample[] = operations().flatMap((operation) => {
  const { requestBody } = document.paths[operation.template][operation.method.toLowerCase()];
  const example = requestBody?.content?.['application/json']?.example;
  return example === undefined ? [] : [{ ...operation, example }];
});

/** What most operations do leaves the objects of the others as they were. */
const changesObjects = /^(?!create|quote|verify|evaluate|test|set|takeTreasury)/;
let isUsedUp = false;

describe('the example of', () => {
  it.each(withExample.map((operation) => [operation.id, operation] as const))('%s is taken', async (id, operation) => {
    if (isUsedUp) await restore();
    isUsedUp = changesObjects.test(id) || special[id] !== undefined;
    await prepare(id, harness.test, seeds);
    const { members = {}, objects = {} } = (await special[id]?.()) ?? {};
    const around = { ...seeds, ...objects };
    const { example } = withExamplesOf(dayOf(harness.clock.now()), { example: operation.example });
    const sent = { ...withRealIds(example, bodyOf(operation, seeds), around), ...members };
    const { status, body } = await harness.test.call(operation.method, pathOf(operation.template, around), { body: sent });
    expect(status, JSON.stringify({ sent, body })).toBeLessThan(300);
  });

  it('every operation with a body is there', () => {
    const silent = operations().filter(({ id, body }) => body?.required !== undefined && !withExample.some((other) => other.id === id));
    expect(silent.map(({ id }) => id)).toEqual([]);
  });
});
