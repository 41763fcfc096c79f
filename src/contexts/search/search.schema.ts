// The GraphQL face of the search.
import { z } from 'zod';
import { builder, facts } from '../../platform/schema/builder.js';
import { mostHits, type SearchHit, search } from './search.js';

const Hit = builder.objectRef<SearchHit>('SearchHit').implement({
  description: 'Something that a search has found.',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'The name of its noun, such as transfer, payout, account or agent.' }),
    id: t.exposeString('id', { description: 'As its own endpoint prints it.' }),
    name: t.exposeString('name', { nullable: true, description: 'What it is called. Null where it has no name.' }),
    status: t.exposeString('status', { nullable: true, description: 'How it stands. Null where it has no status.' }),
    transferId: t.expose('transferId', {
      type: 'TransferId',
      nullable: true,
      description: 'The transfer that it is, or that it is about. Null where there is none.',
    }),
  }),
});

builder.queryField('search', (t) =>
  t.field({
    type: [Hit],
    description:
      'Find whatever has this id, prefixed or bare. A text that is no id finds transfers with this reference, accounts with this customer reference, and accounts, agents and merchants whose name or e-mail address begins with it.',
    authScopes: { audience: 'operator', scope: 'self' },
    args: { text: t.arg.string({ description: 'What to look for.', validate: z.string().trim().min(1).max(200) }) },
    ...facts({ most: mostHits }),
    resolve: (_root, { text }, ctx) => search(ctx, text),
  }),
);
