// Who may call what: audience and scope together, for every kind of actor.
import { buildSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/platform/ctx.js';
import { type Admission, authorize, refuseUnscoped } from '../../../src/platform/schema/audience.js';
import { scopesOf } from '../../../src/platform/scope.js';
import { schema } from '../../../src/schema.js';

const actor = (type: Actor['type'], scopes: readonly string[] = [], more: Partial<Actor> = {}): Actor => ({
  type,
  id: 'id',
  name: 'name',
  scopes,
  credential: { kind: 'none', id: '' },
  ...more,
});
const connection = (...scopes: string[]) =>
  actor('agent', [], { connection: { id: 'c', scopes, memberId: 'person', budgetId: null, expiresAt: new Date(0) } });
const operator = (scope: Admission['scope'], audience: Admission['audience'] = 'operator'): Admission => ({ audience, scope });

describe('a scope', () => {
  const cases: [name: string, Actor, Admission, code: string | true][] = [
    ['opens what it names', actor('api_key', ['cards:read']), operator('cards:read'), true],
    ['of writing opens reading', actor('api_key', ['cards:write']), operator('cards:read'), true],
    ['of reading opens no writing', actor('api_key', ['cards:read']), operator('cards:write'), 'insufficient_scope'],
    ['of another resource opens nothing', actor('api_key', ['cards:write']), operator('wallets:read'), 'insufficient_scope'],
    ['* opens everything', actor('api_key', ['*']), operator('approvals:decide'), true],
    ['*:read opens every reading', actor('api_key', ['*:read']), operator('audit:read'), true],
    ['*:read opens no writing', actor('api_key', ['*:read']), operator('freeze:write'), 'insufficient_scope'],
    ['is asked of JWT sessions', actor('user', ['cards:read']), operator('cards:write'), 'insufficient_scope'],
    ['is asked of people', actor('member', scopesOf('viewer', 'live', false)), operator('cards:write'), 'insufficient_scope'],
    ['of a person opens what asks for a key', actor('member', scopesOf('admin', 'live', false)), operator('keys:write', 'api_key'), true],
    ['of a JWT does not', actor('user', ['*']), operator('keys:write', 'api_key'), 'api_key_required'],
    ['is not asked of agents', actor('agent'), operator('transfers:write', 'any'), true],
    ['opens to agents nothing of operators', actor('agent'), operator('treasury:read'), 'forbidden'],
    ['is not asked of the system', actor('system'), operator('keys:write', 'api_key'), true],
    ['is not asked where a field is about the caller', actor('api_key', ['cards:read']), operator('self'), true],
    ['agent:read reads', connection('agent:read'), operator('transfers:read', 'any'), true],
    ['agent:read does nothing', connection('agent:read'), operator('transfers:write', 'any'), 'insufficient_scope'],
    ['agent:act does', connection('agent:read', 'agent:act'), operator('tasks:write', 'any'), true],
    ['agent:act alone reads nothing', connection('agent:act'), operator('tasks:read', 'any'), 'insufficient_scope'],
  ];
  for (const [name, who, admission, expected] of cases) {
    it(name, () => {
      if (expected === true) return expect(authorize(who, admission)).toBe(true);
      return expect(() => authorize(who, admission)).toThrow(expect.objectContaining({ code: expected }));
    });
  }

  it('that is missing is named, beside those that are there', () => {
    const ask = () => authorize(actor('api_key', ['cards:read']), operator('wallets:write'));
    const details = { required_scope: 'wallets:write', scopes: ['cards:read'], next_actions: [{ rel: 'create_key' }] };
    expect(ask).toThrow(expect.objectContaining({ details: expect.objectContaining({ ...details, next_actions: [expect.anything()] }) }));
  });
});

describe('a root field without a scope', () => {
  it('stops the start, and is named', () => {
    const silent = buildSchema('type Query { cheap: Int, dear: Int }');
    expect(() => refuseUnscoped(silent)).toThrow(/^Query\.cheap, Query\.dear: a root field says who may call it/);
  });

  it('is none of ours', () => expect(refuseUnscoped(schema)).toBe(schema));
});
