// What the ids of funding transactions lead to, each as far as its own root shows it (CONTRACT.md 29).

import { builder } from '../../platform/schema/builder.js';
import { by, relatedRow } from '../../platform/schema/related-row.js';
import { visibleWallets } from '../accounts/wallet.js';
import { Wallet } from '../accounts/wallet.schema.js';
import { Transfer } from '../transfers/transfer.schema.js';
import { visibleTransfers } from '../transfers/transfer-list.js';
import { FundingTransaction } from './funding.schema.js';

builder.prismaObjectFields(FundingTransaction, (t) => ({
  wallet: t.field({ type: Wallet, ...relatedRow('wallet', visibleWallets, by('walletId')) }),
  transfer: t.field({ type: Transfer, ...relatedRow('transfer', visibleTransfers, by('transferId')) }),
}));
