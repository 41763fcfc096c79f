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
      'When you are an agent: the protocols by which you could spend something now. None while spending is frozen, or a limit is used up.',
    ...facts({ most: 7 }),
    resolve: (_me, _args, ctx) => (ctx.actor.agent === undefined ? null : spendableBy(ctx, ctx.actor.agent)),
  }),
);
