// The GraphQL face of deposit addresses.
import { CurrencyMismatch, Forbidden, NotFound } from '../../platform/errors.js';
import { once } from '../../platform/idempotency.js';
import { formatMinor } from '../../platform/money.js';
import { builder, facts } from '../../platform/schema/builder.js';
import { WalletFrozen } from '../accounts/errors.js';
import { RailUnavailable } from '../transfers/rail.js';
import { AskDepositAddressInput } from './deposit-address.input.js';
import {
  type AskedDepositAddress,
  askDepositAddress,
  askedDepositAddress,
  type DepositAddress,
  walletDepositAddresses,
} from './deposit-address.js';
import { rest } from './rest.js';

const mostAddresses = 60;

const DepositAddressType = builder.objectRef<DepositAddress>('DepositAddress').implement({
  description: 'Where money reaches a wallet over a network without being asked for.',
  fields: (t) => ({
    address: t.exposeString('address', { description: 'The address, with the capitals of EIP-55. It never changes.' }),
    rail: t.exposeString('rail', { description: 'The rail that watches it.' }),
    network: t.exposeString('network', { description: 'The network, as CAIP-2 names it, such as `eip155:8453`.' }),
    // Gap G-852: `confirmations` of a deposit address is text: a number of blocks, `safe` or `finalized`.
    chainId: t.float({ description: 'The number of the chain.', resolve: ({ chainId }) => Number(chainId) }),
    token: t.exposeString('token', { description: 'The contract of the one token that is credited. Any other is lost.' }),
    minimum: t.field({
      type: 'Amount',
      description: 'What is less in one transfer is not credited.',
      resolve: ({ minimum, currency }) => formatMinor(minimum, currency),
    }),
    confirmations: t.string({
      description: 'How deep a block lies when its money is credited: a number of blocks, `safe` or `finalized`.',
      resolve: ({ confirmations }) => String(confirmations),
    }),
  }),
});

const AskDepositAddressPayload = builder.objectRef<AskedDepositAddress>('AskDepositAddressPayload').implement({
  description: 'A deposit address, and whether it was asked for before.',
  fields: (t) => ({
    depositAddress: t.field({ type: DepositAddressType, description: 'The address.', resolve: ({ depositAddress }) => depositAddress }),
    repeated: t.boolean({
      nullable: true,
      description: 'True for an address that was asked for before; else null.',
      resolve: ({ isRepeated }) => (isRepeated ? true : null),
    }),
  }),
});

builder.queryField('depositAddresses', (t) =>
  t.field({
    route: rest(
      'GET /v1/wallets/{id}/deposit-addresses',
      'List the deposit addresses of a wallet that were asked for. An agent reads those of its own wallets.',
      { names: { walletId: 'id' } },
    ),
    type: [DepositAddressType],
    authScopes: { audience: 'any', scope: 'wallets:read' },
    args: { walletId: t.arg({ type: 'WalletId', description: 'The wallet.' }) },
    ...facts({ errors: [NotFound, Forbidden], most: mostAddresses }),
    resolve: (_root, { walletId }, ctx) => walletDepositAddresses(ctx, walletId),
  }),
);

builder.mutationField('askDepositAddress', (t) =>
  t.field({
    route: rest(
      'POST /v1/wallets/{id}/deposit-addresses',
      'Ask for the address on which a wallet is reached over a rail. It is always the same one: asked for again it is 200. What reaches it is a funding transaction, `pending` when it is seen and `completed` when its block is deep. A rail that takes no deposits is 503 `rail_unavailable`.',
      { status: 201, body: 'depositAddress', existing: 'repeated' },
    ),
    type: AskDepositAddressPayload,
    authScopes: { audience: 'any', scope: 'wallets:write' },
    args: { id: t.arg({ type: 'WalletId' }), input: t.arg({ type: AskDepositAddressInput }) },
    ...facts({ errors: [NotFound, Forbidden, WalletFrozen, CurrencyMismatch, RailUnavailable] }),
    resolve: once((ctx, { id, input }) => askDepositAddress(ctx, { id, rail: input.rail }), askedDepositAddress),
  }),
);
