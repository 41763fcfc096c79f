// The GraphQL face of whoever asked for something, or decided it.
import type { InitiatorType as InitiatorKind } from '../../generated/prisma/client.js';
import { InitiatorType } from '../../generated/prisma/enums.js';
import { builder } from '../../platform/schema/builder.js';
import { actorId } from '../agents/me.js';

export const InitiatorTypeEnum = builder.enumType(InitiatorType, { name: 'InitiatorType' });

export const Initiator = builder.objectRef<{ type: InitiatorKind; id: string }>('Initiator').implement({
  extensions: { component: false },
  description: 'Who asked for it, or decided it.',
  fields: (t) => ({
    type: t.expose('type', { type: InitiatorTypeEnum }),
    id: t.string({ resolve: actorId }),
  }),
});
