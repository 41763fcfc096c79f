// Refusals of what people do (CONTRACT.md 22).
import { declareError, Forbidden } from '../../platform/errors.js';

/** 409: the tenant would be without an active owner who can sign in. */
export class LastOwner extends declareError(409, 'state_conflict') {
  constructor() {
    super(
      'No active owner of the tenant could sign in any more. Make another member an owner first, or leave open what an owner signs in with.',
      {
        details: {
          reason: 'last_owner',
          current_status: 'active',
          next_actions: [{ rel: 'members', actor: 'any', method: 'GET', path: '/v1/members' }],
        },
      },
    );
  }
}

/** 409: somebody has to own a tenant before others join it. */
export class NoOwner extends declareError(409, 'state_conflict') {
  constructor() {
    super('The tenant has no owner yet. Its first member is one: `cli member invite --role owner` makes the link.', {
      details: { reason: 'no_owner', current_status: 'empty', terminal: true },
    });
  }
}

/** 409: the member has been removed. */
export class MemberRemoved extends declareError(409, 'state_conflict') {
  constructor() {
    super('This member was removed. Invite the person again.', {
      details: {
        current_status: 'removed',
        allowed_from: ['active', 'suspended'],
        next_actions: [{ rel: 'members', actor: 'any', method: 'GET', path: '/v1/members' }],
      },
    });
  }
}

/** 409: there is a member with this e-mail. */
export class EmailTaken extends declareError(409, 'already_exists') {
  constructor(memberId: string) {
    super('A member of the tenant has this e-mail already.', {
      details: { next_actions: [{ rel: 'member', actor: 'any', method: 'GET', path: `/v1/members/${memberId}` }] },
    });
  }
}

/** The 403 for who gives a role or an authority that he has not himself. */
export function beyondOwn(message: string, reason: 'role_exceeded' | 'authority_exceeded'): Forbidden {
  return new Forbidden(message, { reason, terminal: true });
}

/** The 403 for a page of another origin. */
export function foreignPage(): Forbidden {
  return new Forbidden('A page of another origin cannot sign anybody in here.', { reason: 'csrf', terminal: true });
}

/** 409: the person could not sign in any more. */
export class LastMethod extends declareError(409, 'state_conflict') {
  constructor() {
    super('This is all that you sign in with. Add another passkey or set a password first.', {
      details: {
        reason: 'last_method',
        current_status: 'active',
        next_actions: [{ rel: 'passkeys', actor: 'any', method: 'GET', path: '/v1/me/passkeys' }],
      },
    });
  }
}

/** 409: another tenant is called so. */
export class SlugTaken extends declareError(409, 'already_exists') {
  constructor() {
    super('Another tenant has this slug. Choose another one.', { details: { reason: 'slug_taken', terminal: true } });
  }
}
