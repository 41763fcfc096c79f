// The events of accounts and their wallets (SPEC.md "Event types and data").
import { z } from 'zod';
import { currency, exampleId, id, money } from '../../events/data.js';
import { declareEvents } from '../../events/declaration.js';

const account = z.strictObject({ account_id: id('acc'), type: z.string(), status: z.string(), name: z.string() });
const example = { account_id: exampleId('acc'), type: 'business', status: 'active', name: 'Acme' };

export const { events, emit } = declareEvents({
  'account.created': { description: 'account created', data: account, subject: 'account_id', example },
  'account.updated': {
    description: 'account modified',
    data: account.extend({ changed_fields: z.array(z.string()) }),
    subject: 'account_id',
    example: { ...example, changed_fields: ['name'] },
  },
  // Emitted by ledger_post(), which sees the balance pass the threshold.
  'account.balance.low': {
    description: 'balance below configured threshold',
    data: z.strictObject({ account_id: id('acc'), wallet_id: id('wal'), balance: money, threshold: money, currency }),
    subject: 'wallet_id',
    example: { account_id: exampleId('acc'), wallet_id: exampleId('wal'), balance: '9.50', threshold: '10.00', currency: 'USD' },
  },
});
