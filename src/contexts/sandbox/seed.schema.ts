// The GraphQL face of seeding and resetting a sandbox.
import { TestModeOnly } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { postingErrors } from '../spending/pipeline/refusal.js';
import { mostOpen, type Reset, resetSandbox, wasReset } from './reset.js';
import { rest } from './rest.js';
import { scenarios } from './scenario.js';
import { seeded, seedSandbox } from './seed.js';
import type { Seed, SeedAccount, SeedAgent, SeedMerchant, SeedThing, SeedWallet } from './seed-world.js';

const ScenarioEnum = builder.enumType('Scenario', {
  description: 'basic: a person whose agent buys at a shop. marketplace: sellers, and agents that buy from them. treasury: a company.',
  values: scenarios,
});
const SeedOwnerType = builder.enumType('SeedOwnerType', { values: ['account', 'agent'] as const });
const secret = { extensions: { secret: true } };

const SeedAccountType = builder.objectRef<SeedAccount>('SeedAccount').implement({
  fields: (t) => ({
    id: t.expose('id', { type: 'AccountId' }),
    name: t.exposeString('name'),
    customerReference: t.exposeString('customerReference'),
  }),
});
const SeedWalletType = builder.objectRef<SeedWallet>('SeedWallet').implement({
  fields: (t) => ({
    id: t.expose('id', { type: 'WalletId' }),
    name: t.exposeString('name'),
    ownerType: t.expose('ownerType', { type: SeedOwnerType }),
    ownerId: t.expose('ownerId', { type: 'OwnerId' }),
    currency: t.expose('currency', { type: 'Currency' }),
  }),
});
const SeedAgentType = builder.objectRef<SeedAgent>('SeedAgent').implement({
  fields: (t) => ({
    id: t.expose('id', { type: 'AgentId' }),
    name: t.exposeString('name'),
    walletId: t.expose('walletId', { type: 'WalletId' }),
    token: t.exposeString('token', { nullable: true, description: 'Shown once.', ...secret }),
    privateKey: t.exposeString('privateKey', { nullable: true, description: 'Of its Ed25519 key, base64. Shown once.', ...secret }),
  }),
});
const SeedMerchantType = builder.objectRef<SeedMerchant>('SeedMerchant').implement({
  fields: (t) => ({ id: t.expose('id', { type: 'MerchantId' }), name: t.exposeString('name') }),
});
const SeedThingType = builder.objectRef<SeedThing>('SeedThing').implement({
  fields: (t) => ({ type: t.exposeString('type', { description: 'transfer, policy, checkout...' }), id: t.exposeString('id') }),
});

/** More of one kind than any scenario makes. */
const most = facts({ most: 50 });
const SeedType = builder.objectRef<Seed>('Seed').implement({
  description: 'The world that was made, with the credentials of its agents.',
  fields: (t) => ({
    scenario: t.field({ type: ScenarioEnum, resolve: ({ scenario }) => scenario as (typeof scenarios)[number] }),
    accounts: t.field({ type: [SeedAccountType], ...most, resolve: ({ accounts }) => accounts }),
    wallets: t.field({ type: [SeedWalletType], ...most, resolve: ({ wallets }) => wallets }),
    agents: t.field({ type: [SeedAgentType], ...most, resolve: ({ agents }) => agents }),
    merchants: t.field({ type: [SeedMerchantType], ...most, resolve: ({ merchants }) => merchants }),
    things: t.field({ type: [SeedThingType], ...most, description: 'Whatever else was made.', resolve: ({ things }) => things }),
  }),
});

const ResetOpen = builder.objectRef<Reset['open'][number]>('ResetOpen').implement({
  fields: (t) => ({
    type: t.exposeString('type'),
    id: t.exposeString('id'),
    code: t.exposeString('code', { description: 'Why it could not be ended.' }),
  }),
});
const ResetType = builder.objectRef<Reset>('Reset').implement({
  description: 'What a reset came to.',
  fields: (t) => ({
    complete: t.exposeBoolean('complete', { description: 'False: reset again, after what is open has come to its end.' }),
    ended: t.field({ type: 'JSONObject', description: 'How many things of each kind were ended.', resolve: ({ ended }) => ended }),
    open: t.field({ type: [ResetOpen], ...facts({ most: mostOpen }), resolve: ({ open }) => open }),
  }),
});

const SeedInput = builder.inputType('SeedInput', {
  fields: (t) => ({ scenario: t.field({ type: ScenarioEnum, required: false, description: 'basic by default.' }) }),
});

builder.mutationFields((t) => ({
  seedSandbox: t.field({
    route: rest('POST /v1/test/seed', 'Make a world worth looking at. The credentials of its agents are shown once.', { status: 201 }),
    type: SeedType,
    authScopes: { audience: 'api_key' },
    args: { input: t.arg({ type: SeedInput }) },
    ...facts({ errors: [TestModeOnly, ...postingErrors] }),
    resolve: once((ctx, { input }) => seedSandbox(ctx, input.scenario ?? 'basic'), seeded),
  }),
  resetSandbox: t.field({
    route: rest('POST /v1/test/reset', 'Empty the sandbox: everything ends, money goes back, accounts close. History and API keys stay.'),
    type: ResetType,
    authScopes: { audience: 'api_key' },
    ...facts({ errors: [TestModeOnly] }),
    resolve: once((ctx) => resetSandbox(ctx), wasReset),
  }),
}));
