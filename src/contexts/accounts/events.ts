// The events of accounts (SPEC.md "Event types and data"). That of a low balance is the ledger's (src/ledger/low-balance.ts).
import { z } from 'zod';
import { exampleId, id } from '../../events/data.js';
import { declareEvents } from '../../events/declaration.js';
import { text } from '../../events/personal.js';

const account = z.strictObject({ account_id: id('acc'), type: z.string(), status: z.string(), name: text });
const example = { account_id: exampleId('acc'), type: 'business', status: 'active', name: 'Acme' };

export const { events, emit } = declareEvents({
  'account.created': { description: 'account created', data: account, subject: 'account_id', example },
  'account.updated': {
    description: 'account modified',
    data: account.extend({ changed_fields: z.array(z.string()) }),
    subject: 'account_id',
    example: { ...example, changed_fields: ['name'] },
  },
});
