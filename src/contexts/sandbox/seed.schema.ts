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
  description:
    '`basic`: a person whose agent buys at a shop. `marketplace`: sellers, and agents that buy from them. `treasury`: a company.',
  values: scenarios,
});
const SeedOwnerType = builder.enumType('SeedOwnerType', {
  description: 'Whether an account or an agent owns the wallet.',
  values: ['account', 'agent'] as const,
});
const secret = { extensions: { secret: true } };

const SeedAccountType = builder.objectRef<SeedAccount>('SeedAccount').implement({
  description: 'An account of the scenario.',
  fields: (t) => ({
    id: t.expose('id', { type: 'AccountId' }),
    name: t.exposeString('name', { description: 'Name of the account.' }),
    customerReference: t.exposeString('customerReference', { description: 'Its customer reference.' }),
  }),
});
const SeedWalletType = builder.objectRef<SeedWallet>('SeedWallet').implement({
  description: 'A wallet of the scenario.',
  fields: (t) => ({
    id: t.expose('id', { type: 'WalletId' }),
    name: t.exposeString('name', { description: 'Name of the wallet.' }),
    ownerType: t.expose('ownerType', { type: SeedOwnerType }),
    ownerId: t.expose('ownerId', { type: 'OwnerId', description: 'The account or agent that owns it.' }),
    currency: t.expose('currency', { type: 'Currency' }),
  }),
});
const SeedAgentType = builder.objectRef<SeedAgent>('SeedAgent').implement({
  description: 'An agent of the scenario, with its credentials.',
  fields: (t) => ({
    id: t.expose('id', { type: 'AgentId' }),
    name: t.exposeString('name', { description: 'Name of the agent.' }),
    walletId: t.expose('walletId', { type: 'WalletId', description: 'Its wallet.' }),
    token: t.exposeString('token', { nullable: true, description: 'Its bearer token, shown once; null in a replay.', ...secret }),
    privateKey: t.exposeString('privateKey', {
      nullable: true,
      description: 'Its Ed25519 private key in base64, shown once; null in a replay.',
      ...secret,
    }),
  }),
});
const SeedMerchantType = builder.objectRef<SeedMerchant>('SeedMerchant').implement({
  description: 'A merchant of the scenario.',
  fields: (t) => ({ id: t.expose('id', { type: 'MerchantId' }), name: t.exposeString('name', { description: 'Name of the merchant.' }) }),
});
const SeedThingType = builder.objectRef<SeedThing>('SeedThing').implement({
  description: 'Something else that was created.',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'What it is, such as `transfer`, `policy` or `checkout`.' }),
    id: t.exposeString('id', { description: 'Its identifier.' }),
  }),
});

/** More of one kind than any scenario makes. */
const most = facts({ most: 50 });
const SeedType = builder.objectRef<Seed>('Seed').implement({
  description: 'A scenario that was created, with the credentials of its agents.',
  fields: (t) => ({
    scenario: t.field({ type: ScenarioEnum, resolve: ({ scenario }) => scenario as (typeof scenarios)[number] }),
    accounts: t.field({
      type: [SeedAccountType],
      description: 'Accounts that were created.',
      ...most,
      resolve: ({ accounts }) => accounts,
    }),
    wallets: t.field({ type: [SeedWalletType], description: 'Wallets that were created.', ...most, resolve: ({ wallets }) => wallets }),
    agents: t.field({
      type: [SeedAgentType],
      description: 'Agents that were created, with their credentials.',
      ...most,
      resolve: ({ agents }) => agents,
    }),
    merchants: t.field({
      type: [SeedMerchantType],
      description: 'Merchants that were created.',
      ...most,
      resolve: ({ merchants }) => merchants,
    }),
    things: t.field({ type: [SeedThingType], ...most, description: 'Whatever else was created.', resolve: ({ things }) => things }),
  }),
});

const ResetOpen = builder.objectRef<Reset['open'][number]>('ResetOpen').implement({
  description: 'Something that could not be ended.',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'What it is, such as `payout`.' }),
    id: t.exposeString('id', { description: 'Its identifier.' }),
    code: t.exposeString('code', { description: 'Why it could not be ended, as a word for programs.' }),
  }),
});
const ResetType = builder.objectRef<Reset>('Reset').implement({
  description: 'The result of a reset.',
  fields: (t) => ({
    complete: t.exposeBoolean('complete', { description: 'False: reset again, once what is open has ended.' }),
    ended: t.field({ type: 'JSONObject', description: 'Number of things that were ended, by kind.', resolve: ({ ended }) => ended }),
    open: t.field({
      type: [ResetOpen],
      description: 'What could not be ended now.',
      ...facts({ most: mostOpen }),
      resolve: ({ open }) => open,
    }),
  }),
});

const SeedInput = builder.inputType('SeedInput', {
  description: 'The scenario to create.',
  fields: (t) => ({ scenario: t.field({ type: ScenarioEnum, required: false, description: 'The scenario; `basic` by default.' }) }),
});

builder.mutationFields((t) => ({
  seedSandbox: t.field({
    route: rest(
      'POST /v1/test/seed',
      'Create a scenario with accounts, wallets, agents and payments to try things on. Sandbox only. The credentials of its agents are shown once, in this response.',
      { status: 201 },
    ),
    type: SeedType,
    authScopes: { audience: 'api_key', scope: 'sandbox:write' },
    args: { input: t.arg({ type: SeedInput }) },
    ...facts({ errors: [TestModeOnly, ...postingErrors] }),
    resolve: once((ctx, { input }) => seedSandbox(ctx, input.scenario ?? 'basic'), seeded),
  }),
  resetSandbox: t.field({
    route: rest(
      'POST /v1/test/reset',
      'Empty the sandbox: open things end, money goes back, wallets and accounts close, settings are deleted. History and API keys stay. What cannot end now, such as a payout on its way, is in `open`: advance the clock and reset again.',
    ),
    type: ResetType,
    authScopes: { audience: 'api_key', scope: 'sandbox:write' },
    ...facts({ errors: [TestModeOnly] }),
    resolve: once((ctx) => resetSandbox(ctx), wasReset),
  }),
}));
