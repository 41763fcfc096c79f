// What a kind of actor sees, as one condition for rows in memory and for statements.
import { describe, expect, it } from 'vitest';
import { Visibility } from '../../src/platform/visibility.js';

describe('visibility', () => {
  const own = new Visibility({
    scope: 'wallets:read',
    agent: ({ id }) => ({ OR: [{ agentId: id }, { id: { in: ['shared'] }, type: 'account' }] }),
  });
  const actor = (type: string, more: object = {}) => ({ actor: { type, ...more } as never });
  const acting = actor('agent', { agent: { id: 'me' } });
  const sql = (ctx: Parameters<typeof own.sql>[0]) => {
    const values: unknown[] = ['workspace'];
    return { text: own.sql(ctx, values), values };
  };

  it('is the workspace for its tenant, nothing for those of whom nothing is said', () => {
    for (const type of ['api_key', 'user', 'member', 'system']) {
      const whole = actor(type, { scopes: ['wallets:read'] });
      expect(own.isWhole(whole)).toBe(true);
      expect(own.sees(whole, { id: 'any' })).toBe(true);
      expect(sql(whole).text).toBe('true');
    }
    for (const type of ['portal', 'anonymous', 'agent', 'a kind to come']) {
      expect(own.where(actor(type))).toEqual({ id: { in: [] } });
      expect(own.sees(actor(type), { id: 'any' })).toBe(false);
      expect(sql(actor(type)).text).toBe('(id::text = ANY ($2::text[]))');
    }
  });

  it('is nothing for scopes that do not open it, which may name its rows all the same', () => {
    const other = actor('api_key', { scopes: ['accounts:write'] });
    expect(own.where(other)).toEqual({ id: { in: [] } });
    expect(own.sees(other, { id: 'any' })).toBe(false);
    expect(own.reach(other)).toEqual({});
    expect(own.reaches(other, { id: 'any' })).toBe(true);
    expect(own.reach(acting)).toEqual(own.where(acting));
  });

  it('reads one condition in memory as in SQL', () => {
    const row = { id: 'shared', agentId: 'me', type: 'account' };
    expect(own.sees(acting, row)).toBe(true);
    expect(own.sees(acting, { ...row, agentId: null })).toBe(true);
    expect(own.sees(acting, { ...row, agentId: null, type: 'agent' })).toBe(false);
    expect(own.sees(acting, { ...row, agentId: 'you', id: 'other' })).toBe(false);
    expect(sql(acting)).toEqual({
      text: '((false OR (agent_id::text = ANY ($2::text[])) OR (id::text = ANY ($3::text[]) AND type::text = ANY ($4::text[]))))',
      values: ['workspace', ['me'], ['shared'], ['account']],
    });
  });

  it('refuses a row that does not have what the condition names, and a condition that it cannot read', () => {
    expect(() => own.sees(acting, { id: 'shared' })).toThrow('a row without agentId');
    const strange = new Visibility({ scope: 'wallets:read', agent: () => ({ id: { startsWith: 'a' } }) });
    expect(() => strange.sees(acting, { id: 'a' })).toThrow('equality');
  });
});
