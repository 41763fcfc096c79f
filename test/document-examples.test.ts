// The examples of the API document are true. Each example of a request is sent to a sandbox, and the platform takes it; what only a real
// object has is put in: its id, and what somebody has signed. Each example of an answer was recorded here: RECORD=1 writes them again.
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { dayOf, movedBy, withExamplesOf, writtenOn } from '../src/http/example-date.js';
import { AnswerRecord, shapeOf } from './answer-record.js';
import { challengeOf, enrol, sign } from './contexts/agents/identity.js';
import { closedAccount } from './contexts/erasure/example.js';
import { bodyOf, madeSeeds, prepare } from './example.js';
import { jwsIdentity } from './factories/bot-identity.js';
import { newBankAccount, newPayer, newPayout } from './factories/payout.js';
import { newSides, offerTask } from './factories/task.js';
import { type Answer, type Json, openWallet, useHarness } from './harness.js';
import { document } from './openapi.js';
import { type Operation, operations, pathOf, type Seeds, seedOf } from './operation.js';
import { saveWorld } from './saved-world.js';

const harness = useHarness();
let seeds: Seeds;
let restore: () => Promise<void>;
let startedAt: string;

beforeAll(async () => {
  startedAt = harness.clock.now().toISOString();
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

/** What an example is about that no other test of all operations needs. */
interface Special {
  /** What a member is instead. */
  members?: object;
  /** Other objects that are named. */
  objects?: Seeds;
  query?: string;
  /** Who asks, if it is not an API key. */
  as?: string;
}
const special: Record<string, () => Promise<Special>> = {
  authenticateAgent: async () => {
    const { id, uuid, privateKey } = await enrol(harness.test);
    const challenge = await challengeOf(harness.test, id);
    return { members: { challenge, signature: sign(challenge, privateKey) }, objects: { agent: uuid } };
  },
  createAuthSession: async () => ({ members: { api_key: harness.test.key } }),
  endAuthSession: async () => {
    const { token } = await harness.test.make('/v1/auth/session', { api_key: harness.test.key }, { as: null });
    return { as: token };
  },
  claimTask: async () => {
    const sides = await newSides(harness.test);
    const task = await offerTask(harness.test, sides);
    return { objects: { task: task.id }, as: sides.worker.token };
  },
  // Its signature is of now, and by an agent that is enrolled here.
  verifyCard: async () => {
    const agent = await enrol(harness.test);
    const { transaction_intent: intent } = document.paths['/v1/cards/verify'].post.requestBody.content['application/json'].example;
    return { members: { agent_id: agent.id, signed_bot_identity: jwsIdentity(agent, harness.clock.now(), { intent }) } };
  },
  // Nothing is open on these.
  deleteBankAccount: async () => ({ objects: { bank_account: (await newBankAccount(harness.test, String(seeds['account']))).id } }),
  eraseAccount: async () => ({ objects: { account: (await closedAccount(harness.test)).id } }),
  closeWallet: async () => ({ objects: { wallet: (await openWallet(harness.test)).wallet.id } }),
  // These need a transfer that was completed.
  getTransferReceipt: async () => ({ objects: { transfer: String(seeds['original_transfer']) } }),
  recordDelivery: async () => ({ objects: { transfer: String(seeds['original_transfer']) } }),
  getEvidenceConsistency: async () => ({ query: '?from=1' }),
  connectPaymentHandler: async () => ({ query: '?processor=simulated' }),
  // Refunds of today are done at once.
  cancelRefund: async () => {
    await harness.platform.database.unscoped.refund.updateMany({ data: { status: 'pending' } });
    return {};
  },
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

/** The answer itself; of a clock that was still on its way after ten seconds, as happens beside other work, how it stands in the end. */
async function arrived(answer: Answer): Promise<Answer> {
  if (answer.body?.data?.status !== 'advancing') return answer;
  return vi.waitUntil(
    async () => {
      const clock = await harness.test.get('/v1/test/clock');
      return clock.body.data.status === 'ready' && clock;
    },
    { timeout: 60_000, interval: 100 },
  );
}

/** An operation with the example of its request, if it takes a body, and that of its answer. */
interface Documented extends Operation {
  example: Json;
  answers: Json;
}
/** What people alone do, in a browser, or what changes members or rails, in production alone: test/contexts/people, connections and rails do it. */
const byPeople = new Set([
  ...['grantConnection', 'getConnectRequest', 'denyConnection'],
  ...['createInvitation', 'revokeInvitation', 'updateMember', 'removeMember', 'recoverMember', 'signOutMember', 'eraseMember'],
  ...['join', 'signIn', 'stepUp', 'switchTenant', 'endBrowserSession', 'setPassword'],
  ...['passkeyOptions', 'usePasskey', 'listPasskeys', 'deletePasskey'],
  ...['setSignInSettings', 'beginOidc'],
  ...['switchRail', 'getRailProof'],
]);
const documented: Documented[] = operations()
  .filter(({ id }) => !byPeople.has(id))
  .map((operation) => {
    const { requestBody, responses } = document.paths[operation.template][operation.method.toLowerCase()];
    return { ...operation, example: requestBody?.content?.['application/json']?.example, answers: responses };
  });

/** What most operations do leaves the objects of the others as they were. */
const changesObjects = /^(?!get|list|search|create|quote|verify|evaluate|test|set|takeTreasury)/;
let isUsedUp = false;

const isRecording = process.env['RECORD'] === '1';
const records: Record<string, unknown> = {};

/** Two of each list say what a list is. */
const short = (operation: Operation) => (operation.query.includes('limit') ? '?limit=2' : '');

describe('the examples of', () => {
  it.each(documented.map((operation) => [operation.id, operation] as const))('%s', async (id, operation) => {
    if (isUsedUp) await restore();
    harness.clock.set(startedAt);
    isUsedUp = changesObjects.test(id) || special[id] !== undefined;
    await prepare(id, harness.test, seeds);
    const { members = {}, objects = {}, query = short(operation), as = harness.test.key } = (await special[id]?.()) ?? {};
    const around = { ...seeds, ...objects };
    const { example } = withExamplesOf(dayOf(harness.clock.now()), { example: operation.example });
    const body = example === undefined ? undefined : { ...withRealIds(example, bodyOf(operation, seeds), around), ...members };
    const path = pathOf(operation.template, around);
    const answer = await arrived(await harness.test.call(operation.method, path + query, { body, as }));
    expect(answer.status, JSON.stringify({ body, answer: answer.body })).toBeLessThan(300);

    const recorded = movedBy(writtenOn - dayOf(new Date(startedAt)), new AnswerRecord().of(answer.body));
    records[id] = { status: answer.status, body: recorded };
    const shown = operation.answers[answer.status].content['application/json'].example;
    // Whether the tree of the audit log has begun depends on the examples before.
    if (id === 'getTrialBalance') (recorded as Json).tree_head = shown.tree_head;
    if (!isRecording) expect(shapeOf(shown), 'run RECORD=1 npx vitest run test/document-examples.test.ts').toEqual(shapeOf(recorded));
  });

  it('every operation with a body are there', () => {
    const silent = documented.filter(({ body, example }) => body?.required !== undefined && example === undefined);
    expect(silent.map(({ id }) => id)).toEqual([]);
  });

  afterAll(() => {
    if (!isRecording) return;
    const lines = Object.entries(records).map(([id, record]) => `${JSON.stringify(id)}: ${JSON.stringify(record)}`);
    writeFileSync(new URL('../src/rest/answers.json', import.meta.url), `{\n${lines.sort().join(',\n')}\n}\n`);
  });
});
