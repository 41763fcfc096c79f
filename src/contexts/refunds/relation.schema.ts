// What the ids of refunds and disputes lead to, each as far as its own root shows it (CONTRACT.md 29).

import { builder } from '../../platform/schema/builder.js';
import { by, relatedRow } from '../../platform/schema/related-row.js';
import { Transfer } from '../transfers/transfer.schema.js';
import { visibleTransfers } from '../transfers/transfer-list.js';
import { Dispute } from './dispute.schema.js';
import { Refund } from './refund.schema.js';

builder.prismaObjectFields(Dispute, (t) => ({
  transfer: t.field({ type: Transfer, ...relatedRow('transfer', visibleTransfers, by('transferId')) }),
}));

builder.prismaObjectFields(Refund, (t) => ({
  originalTransfer: t.field({
    type: Transfer,

    ...relatedRow('transfer', visibleTransfers, by('originalTransferId')),
  }),
  refundTransfer: t.field({
    type: Transfer,

    ...relatedRow('transfer', visibleTransfers, by('refundTransferId')),
  }),
}));
