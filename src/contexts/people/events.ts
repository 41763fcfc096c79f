// Events of members.
import { z } from 'zod';
import { anyId, exampleId, id } from '../../events/data.js';
import { declareEvents } from '../../events/declaration.js';
import type { Member } from '../../generated/prisma/client.js';
import { actorOnWire } from '../../platform/actor.js';
import type { Ctx } from '../../platform/ctx.js';
import { printId } from '../../platform/schema/id.js';
import { roles } from '../../platform/scope.js';

const data = z.strictObject({ member_id: id('mem'), role: z.enum(roles), changed_by: anyId.nullable() });
const example = { member_id: exampleId('mem'), role: 'developer' as const, changed_by: exampleId('mem', true) };

// Gap G-471: Events and audit lines of members are of the environment in which the change was asked for.
export const { events, emit } = declareEvents({
  'member.joined': { description: 'somebody joined the tenant by an invitation', subject: 'member_id', data, example },
  'member.changed': {
    description: 'the role, the authority or the status of a member changed, or the member was recovered',
    subject: 'member_id',
    data,
    example,
  },
  'member.removed': { description: 'a member was removed from the tenant', subject: 'member_id', data, example },
});

/** The data of an event of a member. */
export function memberData({ actor }: Pick<Ctx, 'actor'>, { id: memberId, role }: Pick<Member, 'id' | 'role'>) {
  const changedBy = actor.type === 'system' || actor.type === 'anonymous' ? null : actorOnWire(actor).id;
  return { member_id: printId('member', memberId), role, changed_by: changedBy };
}
