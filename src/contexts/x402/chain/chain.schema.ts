// The GraphQL face of the simulated chain: tokens for an address, and what it has.
import { z } from 'zod';
import { TestModeOnly } from '../../../platform/errors.js';
import { once } from '../../../platform/idempotency.js';
import { formatMinor } from '../../../platform/money.js';
import { builder, facts } from '../../../platform/schema/builder.js';
import { rest } from '../rest.js';
import { type ChainAccount, chainAccount, fundChainAccount } from './chain-account.js';

const AccountType = builder.objectRef<ChainAccount>('ChainAccount').implement({
  description: 'An address of the simulated chain.',
  fields: (t) => ({
    address: t.exposeString('address', { description: 'The address.' }),
    balance: t.field({
      type: 'Amount',
      description: 'What the address holds, in `currency`.',
      resolve: ({ balance, currency }) => formatMinor(balance, currency),
    }),
    currency: t.expose('currency', { type: 'Currency' }),
  }),
});

const FundInput = builder.inputType('FundChainAccountInput', {
  description: 'Tokens for an address of the simulated chain.',
  fields: (t) => ({
    address: t.string({
      description: 'The address, 0x and 40 hexadecimal digits.',
      validate: z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hexadecimal digits'),
      extensions: { example: '0x857b06519E91e3A54538791bDbb0E22373e36b66' },
    }),
    amount: t.field({ type: 'Amount', description: 'How many USDC to mint.' }),
  }),
});

builder.queryField('chainAccount', (t) =>
  t.field({
    route: rest(
      'GET /v1/test/chain/{address}',
      'Read the balance of an address of the simulated chain. Sandbox only; an address that was never funded has nothing.',
    ),
    type: AccountType,
    authScopes: { audience: 'any', scope: 'sandbox:write' },
    args: { address: t.arg.string({ description: 'The address, 0x and 40 hexadecimal digits.' }) },
    ...facts({ errors: [TestModeOnly] }),
    resolve: (_root, { address }, ctx) => chainAccount(ctx, address),
  }),
);

builder.mutationField('fundChainAccount', (t) =>
  t.field({
    route: rest(
      'POST /v1/test/chain/fund',
      'Mint test tokens for an address of the simulated chain. Sandbox only: in production it is 403 `test_mode_only`.',
    ),
    type: AccountType,
    authScopes: { audience: 'any', scope: 'sandbox:write' },
    args: { input: t.arg({ type: FundInput }) },
    ...facts({ errors: [TestModeOnly] }),
    resolve: once((ctx, { input }) => fundChainAccount(ctx, input), chainAccount),
  }),
);
