// What an actor sees of a workspace (CONTRACT.md 0 "What one may see"). Each noun says once, as a condition on its rows, what
// every kind of actor sees, and the scope with which; root operations, relations and nested pages all ask it here, so that none shows more
// than another.
import type { ActingAgent, Actor, Ctx, Customer, PortalScope } from './ctx.js';
import { covers, type Scope } from './scope.js';
import { snakeCase } from './snake-case.js';

type Row = Readonly<Record<string, unknown>>;

/** What the kinds of actor that see a part of a workspace see of a noun. */
interface Parts<Where> {
  /** With which keys and people see it. */
  scope: Scope;
  /** Null: none of it. */
  agent: (agent: ActingAgent) => Where | null;
  /** What a portal token with this scope sees. A noun that does not say it shows portal tokens nothing. */
  portal?: { scope: PortalScope; where: (customer: Customer) => Where };
}

/** The condition that no row meets. Prisma leaves an empty `OR` out where it stands within an `AND`, so it is said by the id. */
const nothing = { id: { in: [] } };

/**
 * Who sees which rows of one noun. `Where` is Prisma's filter of its model, of which only equality (also with null), `in`, `has` and `OR`
 * are used, so that a row in memory and a statement can be held to the same condition.
 */
export class Visibility<Where extends object> {
  readonly #parts: Parts<Where>;

  constructor(parts: Parts<Where>) {
    this.#parts = parts;
  }

  /** The rows that the actor sees, as a filter for Prisma. */
  where({ actor }: Pick<Ctx, 'actor'>): Where {
    return this.#rowsOf(actor, true);
  }

  /**
   * The rows that the actor may name in a request that its scope opens: those that it sees, whatever its scopes are. For what is done to
   * them or with them, never for what is shown of them.
   */
  reach({ actor }: Pick<Ctx, 'actor'>): Where {
    return this.#rowsOf(actor, false);
  }

  /** True when the actor may name this row, as `reach` says. */
  reaches({ actor }: Pick<Ctx, 'actor'>, row: object): boolean {
    return meets(row as Row, this.#rowsOf(actor, false) as Row);
  }

  #rowsOf(actor: Actor, isShown: boolean): Where {
    switch (actor.type) {
      case 'api_key':
      case 'user':
      case 'member':
        return (isShown && !covers(actor.scopes, this.#parts.scope) ? nothing : {}) as Where;
      case 'system':
        return {} as Where;
      case 'agent':
        return (actor.agent && this.#parts.agent(actor.agent)) ?? (nothing as Where);
      case 'portal': {
        const { portal } = this.#parts;
        const isOpen = actor.customer !== undefined && portal !== undefined && actor.scopes.includes(portal.scope);
        return isOpen ? portal.where(actor.customer as Customer) : (nothing as Where);
      }
      case 'anonymous':
        return nothing as Where;
      default:
        // A new kind of actor does not compile without its case, and sees nothing in any event.
        actor.type satisfies never;
        return nothing as Where;
    }
  }

  /** True for an actor who sees every row of the noun. */
  isWhole(ctx: Pick<Ctx, 'actor'>): boolean {
    return Object.keys(this.where(ctx)).length === 0;
  }

  /** True when the actor sees this row, which must have every member that the condition names. */
  sees(ctx: Pick<Ctx, 'actor'>, row: object): boolean {
    return meets(row as Row, this.where(ctx) as Row);
  }

  /** The condition in SQL, over columns in snake_case. Appends its values to `values`, the parameters of the statement. */
  sql(ctx: Pick<Ctx, 'actor'>, values: unknown[]): string {
    return sqlOf(this.where(ctx) as Row, values);
  }
}

/** Of nouns whose roots are for operators with a scope: agents see nothing of them. */
export const operatorsOnly = (scope: Scope) => new Visibility<object>({ scope, agent: () => null });

/** What a list has to hold; undefined for a condition that is not about a list. */
function heldBy(wanted: unknown): unknown {
  return (wanted as { has?: unknown } | null)?.has ?? undefined;
}

/** The values that a member may have. */
function valuesOf(wanted: unknown): readonly unknown[] {
  if (typeof wanted !== 'object' || wanted === null) return [wanted];
  const list = (wanted as { in?: unknown }).in;
  if (!Array.isArray(list)) throw new Error('what an actor sees is said with equality, `in`, `has` and `OR` alone');
  return list;
}

function meets(row: Row, condition: Row): boolean {
  return Object.entries(condition).every(([member, wanted]) => {
    if (member === 'OR') return (wanted as Row[]).some((one) => meets(row, one));
    if (wanted === nothing.id) return false;
    if (row[member] === undefined) throw new Error(`a row without ${member} was held to what an actor sees`);
    const held = heldBy(wanted);
    return held === undefined ? valuesOf(wanted).includes(row[member]) : (row[member] as readonly unknown[]).includes(held);
  });
}

function sqlOf(condition: Row, values: unknown[]): string {
  const terms = Object.entries(condition).map(([member, wanted]) => {
    if (member === 'OR') return `(${['false', ...(wanted as Row[]).map((one) => sqlOf(one, values))].join(' OR ')})`;
    if (wanted === null) return `${snakeCase(member)} IS NULL`;
    const held = heldBy(wanted);
    values.push(held ?? valuesOf(wanted));
    return held === undefined
      ? `${snakeCase(member)}::text = ANY ($${values.length}::text[])`
      : `$${values.length}::text = ANY (${snakeCase(member)}::text[])`;
  });
  return terms.length === 0 ? 'true' : `(${terms.join(' AND ')})`;
}
