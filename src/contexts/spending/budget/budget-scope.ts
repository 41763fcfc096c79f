// Whose spends a budget counts: everybody's, or those of one account, agent, mandate, connection or trace (CONTRACT.md 6).
import { NotFound, ValidationFailed } from '../../../platform/errors.js';
import type { Tx } from '../../../platform/postgres/database.js';
import { type IdKind, parseAnyId, parseId } from '../../../platform/schema/id.js';
import type { BudgetScopeInput } from './budget.input.js';

// Gap G-107: `scope.id` is a bare UUID, a trace id for a trace, and null for the tenant; prefixes are accepted.
/** The `scope_id` of a budget. 400 for an id that is missing, cannot be one, or is too much; 404 for one of nothing here. */
export async function resolveBudgetScope(tx: Tx, { type, id: given }: BudgetScopeInput): Promise<string | null> {
  const id = given ?? undefined;
  switch (type) {
    case 'tenant':
      if (id !== undefined) refuse('id', 'is not for the tenant: its scope is the whole workspace', 'scope');
      return null;
    case 'account': {
      const accountId = idOf('account', id);
      if ((await tx.account.findFirst({ where: { id: accountId }, select: { id: true } })) === null) throw new NotFound('scope', 'id');
      return accountId;
    }
    case 'agent': {
      const agentId = idOf('agent', id);
      if ((await tx.agent.findFirst({ where: { id: agentId }, select: { id: true } })) === null) throw new NotFound('scope', 'id');
      return agentId;
    }
    case 'connection': {
      const connectionId = idOf('connection', id);
      if ((await tx.connection.findFirst({ where: { id: connectionId }, select: { id: true } })) === null)
        throw new NotFound('scope', 'id');
      return connectionId;
    }
    case 'trace':
      return traceOf(id);
    case 'mandate': {
      const mandateId = idOf('mandate', id);
      if ((await tx.mandate.findFirst({ where: { id: mandateId }, select: { id: true } })) === null) throw new NotFound('scope', 'id');
      return mandateId;
    }
  }
}

/** The `scope_id` that a filter names; 400 for what can be none. */
export function scopeIdOf(text: string): string {
  const id = parseAnyId(text) ?? parseTrace(text);
  if (id !== null) return id;
  const message = 'must be the id of an account, an agent, a mandate or a connection, or a trace id';
  throw new ValidationFailed([{ path: ['scopeId'], message, rule: 'id' }]);
}

function idOf(kind: IdKind, text: string | undefined): string {
  if (text === undefined) return missing();
  return parseId(kind, text) ?? refuse('id', `must be the id of ${kind === 'mandate' || kind === 'connection' ? 'a' : 'an'} ${kind}`, 'id');
}

/** The trace of a `traceparent`. */
function traceOf(text: string | undefined): string {
  if (text === undefined) return missing();
  return parseTrace(text) ?? refuse('id', 'must be a trace id: 32 hexadecimal digits, not all zero', 'id');
}

function parseTrace(text: string): string | null {
  const trace = text.toLowerCase();
  return /^[0-9a-f]{32}$/.test(trace) && !/^0+$/.test(trace) ? trace : null;
}

function missing(): never {
  return refuse('id', 'is required: it says whose spends are counted', 'required');
}

function refuse(member: 'type' | 'id', message: string, rule: string): never {
  throw new ValidationFailed([{ path: ['scope', member], message, rule }]);
}
