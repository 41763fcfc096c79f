// What may be done with a member: each after a confirmation. The server has the last word, and its refusal is shown.
import type { Answers, Variables } from '../answers.js';
import { ask } from '../api.js';
import type { DialogField, Given } from '../dialog.js';
import type { Shown } from '../once.js';
import { authorityFields, chosenAuthority, roleNames } from '../role.js';

export type MemberData = Answers['Member']['member'];

export interface MemberAction {
  name: string;
  title: string;
  isDangerous?: true;
  text: string;
  fields?: readonly DialogField[];
  /** Does it, and says what is different now. */
  carryOut: (given: Given) => Promise<string | Shown>;
}

type UpdateInput = Variables['UpdateMember']['input'];

const update = ({ id }: MemberData, input: UpdateInput, { idempotencyKey }: Given) =>
  ask('UpdateMember', { id, input }, { idempotencyKey });

function changeOf(member: MemberData): MemberAction {
  const { name, role, authority } = member;
  const decides = authority === null ? 'none' : authority.maxAmount === null ? 'any' : 'limited';
  const [choice, amount, currency] = authorityFields(decides, authority?.currency);
  return {
    name: 'Change',
    title: `Change what ${name} may do?`,
    text: 'It holds at once, in every open page of the person.',
    fields: [
      { name: 'role', label: 'Role', values: roleNames, initial: role },
      choice,
      { ...amount, initial: authority?.maxAmount ?? '' },
      currency,
    ],
    carryOut: async (given) => {
      const input = { role: given.values['role'], ...chosenAuthority(given.values) } as UpdateInput;
      await update(member, input, given);
      return `${name} is changed.`;
    },
  };
}

/** What keeps a member out for a while, and lets him in again. */
function standingOf(member: MemberData): MemberAction {
  const { name, status } = member;
  if (status === 'active')
    return {
      name: 'Suspend',
      title: `Suspend ${name}?`,
      isDangerous: true,
      text: 'Every session of the person ends at once, and nobody signs in as this person until that is changed.',
      carryOut: async (given) => {
        await update(member, { status: 'suspended' }, given);
        return `${name} is suspended.`;
      },
    };
  return {
    name: 'Let in again',
    title: `Let ${name} in again?`,
    text: 'The person may sign in again, with the same role.',
    carryOut: async (given) => {
      await update(member, { status: 'active' }, given);
      return `${name} may sign in again.`;
    },
  };
}

/** What may be done with a member now. */
export function actionsOf(member: MemberData): MemberAction[] {
  const { id, name, status } = member;
  if (status === 'removed') return [];
  const signOut: MemberAction = {
    name: 'Sign out everywhere',
    title: `Sign ${name} out?`,
    text: 'Every browser session of the person ends at once. The person may sign in again.',
    carryOut: async ({ idempotencyKey }) => {
      await ask('SignOutMember', { id }, { idempotencyKey });
      return `${name} is signed out everywhere.`;
    },
  };
  const recover: MemberAction = {
    name: 'Recover',
    title: `Make a recovery link for ${name}?`,
    text: 'The person sets a new password by it, within an hour. All that the person signed in with before ends when it is used.',
    carryOut: async ({ idempotencyKey }) => {
      const { link } = (await ask('RecoverMember', { id }, { idempotencyKey })).recoverMember;
      return link === null ? `${name} gets a link by mail.` : { title: `The recovery link for ${name}`, label: 'Link', value: link };
    },
  };
  const remove: MemberAction = {
    name: 'Remove',
    title: `Remove ${name}?`,
    isDangerous: true,
    text: 'Sessions, invitations and connections of the person end at once. This cannot be undone; the person may be invited anew.',
    carryOut: async ({ idempotencyKey }) => {
      await ask('RemoveMember', { id }, { idempotencyKey });
      return `${name} is removed.`;
    },
  };
  const [change, standing] = [changeOf(member), standingOf(member)];
  return status === 'suspended' ? [change, standing, remove] : [change, signOut, recover, standing, remove];
}
