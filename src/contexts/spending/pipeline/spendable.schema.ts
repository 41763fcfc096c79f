// The GraphQL face of what an agent could spend now.
import { builder, facts } from '../../../platform/schema/builder.js';
import { Me } from '../../agents/me.schema.js';
import { ProtocolEnum } from '../protocol.input.js';
import { spendableBy } from './spendable.js';

builder.objectField(Me, 'spendableBy', (t) =>
  t.field({
    type: [ProtocolEnum],
    nullable: true,
    description:
      'Protocols by which you, an agent, could spend something now; empty while spending is frozen or a limit is used up. Null for others.',
    ...facts({ most: 7 }),
    resolve: (_me, _args, ctx) => (ctx.actor.agent === undefined ? null : spendableBy(ctx, ctx.actor.agent)),
  }),
);
