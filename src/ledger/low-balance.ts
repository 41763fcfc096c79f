// The event of a wallet whose balance falls below its threshold. Only the posting sees it fall, so every set of postings is handed the text of
// the event, and ledger_post() writes it with the figures of each account that falls.
import { z } from 'zod';
import { currency, exampleId, id, money } from '../events/data.js';
import { declareEvents } from '../events/declaration.js';
import { printId } from '../platform/schema/id.js';

const data = z.strictObject({ account_id: id('acc'), wallet_id: id('wal'), balance: money, threshold: money, currency });

export const { events: lowBalanceEvents } = declareEvents({
  'account.balance.low': {
    description: 'balance below configured threshold',
    data,
    subject: 'wallet_id',
    example: { account_id: exampleId('acc'), wallet_id: exampleId('wal'), balance: '9.50', threshold: '10.00', currency: 'USD' },
  },
});

/** The data, with figures as format() of PostgreSQL numbers them: ledger_post() gives account, wallet, balance, threshold and currency. */
const text: z.infer<typeof data> = {
  account_id: printId('account', '%1$s'),
  wallet_id: printId('wallet', '%2$s'),
  balance: '%3$s',
  threshold: '%4$s',
  currency: '%5$s',
};

/** The attribute `low_event` of a set. */
export const lowBalanceEvent = { type: 'account.balance.low', data: JSON.stringify(text) };
