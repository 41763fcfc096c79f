// What the ids of endpoints and payments lead to, each as far as its own root shows it (CONTRACT.md 29).

import type { X402Endpoint } from '../../generated/prisma/client.js';
import { builder } from '../../platform/schema/builder.js';
import { by, relatedRow } from '../../platform/schema/related-row.js';
import { visibleAccounts } from '../accounts/account.js';
import { Account } from '../accounts/account.schema.js';
import { visibleWallets } from '../accounts/wallet.js';
import { Wallet } from '../accounts/wallet.schema.js';
import { Transfer } from '../transfers/transfer.schema.js';
import { visibleTransfers } from '../transfers/transfer-list.js';
import { canSeeEndpoint, visibleEndpoints } from './endpoint/endpoint.js';
import { EndpointType } from './endpoint/endpoint.schema.js';
import { PaymentType } from './payment/payment.schema.js';

builder.objectFields(EndpointType, (t) => ({
  account: t.field({
    type: Account,
    ...relatedRow('account', visibleAccounts, (row: X402Endpoint, ctx) => (canSeeEndpoint(ctx, row) ? row.accountId : null)),
  }),
  receiverWallet: t.field({
    type: Wallet,
    ...relatedRow('wallet', visibleWallets, (row: X402Endpoint, ctx) => (canSeeEndpoint(ctx, row) ? row.receiverWalletId : null)),
  }),
}));

builder.objectFields(PaymentType, (t) => ({
  endpoint: t.field({ type: EndpointType, ...relatedRow('x402Endpoint', visibleEndpoints, by('endpointId'), {}) }),
  transfer: t.field({ type: Transfer, ...relatedRow('transfer', visibleTransfers, by('transferId')) }),
}));
