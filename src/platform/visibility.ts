// What an actor sees of a workspace (CONTRACT.md 0 "What one may see"). Each noun says once, as a condition on its rows, what
// every kind of actor sees; root operations, relations and nested pages all ask it here, so that none shows more than another.
import type { ActingAgent, Ctx } from './ctx.js';

type Row = Readonly<Record<string, unknown>>;

/** What the kinds of actor that see a part of a workspace see of a noun. A new kind is a new member, which every noun must name. */
interface Parts<Where> {
  /** Null: none of it. */
  agent: (agent: ActingAgent) => Where | null;
}

/** The condition that no row meets. */
const nothing = { OR: [] };

/**
 * Who sees which rows of one noun. `Where` is Prisma's filter of its model, of which only equality, `in` and `OR` are used, so
 * that a row in memory and a statement can be held to the same condition.
 */
export class Visibility<Where extends object> {
  readonly #parts: Parts<Where>;

  constructor(parts: Parts<Where>) {
    this.#parts = parts;
  }

  /** The rows that the actor sees, as a filter for Prisma. */
  where({ actor }: Pick<Ctx, 'actor'>): Where {
    switch (actor.type) {
      case 'api_key':
      case 'user':
      case 'system':
        return {} as Where;
      case 'agent':
        return (actor.agent && this.#parts.agent(actor.agent)) ?? (nothing as Where);
      // A portal token will see the accounts of its customer reference. None is issued yet.
      case 'portal':
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

/** The values that a member may have. */
function valuesOf(wanted: unknown): readonly unknown[] {
  if (typeof wanted !== 'object') return [wanted];
  const list = (wanted as { in?: unknown } | null)?.in;
  if (!Array.isArray(list)) throw new Error('what an actor sees is said with equality, `in` and `OR` alone');
  return list;
}

function meets(row: Row, condition: Row): boolean {
  return Object.entries(condition).every(([member, wanted]) => {
    if (member === 'OR') return (wanted as Row[]).some((one) => meets(row, one));
    if (row[member] === undefined) throw new Error(`a row without ${member} was held to what an actor sees`);
    return valuesOf(wanted).includes(row[member]);
  });
}

function sqlOf(condition: Row, values: unknown[]): string {
  const terms = Object.entries(condition).map(([member, wanted]) => {
    if (member === 'OR') return `(${['false', ...(wanted as Row[]).map((one) => sqlOf(one, values))].join(' OR ')})`;
    values.push(valuesOf(wanted));
    return `${sqlName(member)}::text = ANY ($${values.length}::text[])`;
  });
  return terms.length === 0 ? 'true' : `(${terms.join(' AND ')})`;
}

/** The name that a model or a member has in the database: the data model maps all of them the same way. */
export function sqlName(name: string): string {
  return name.replace(/(?!^)[A-Z]/g, (capital) => `_${capital}`).toLowerCase();
}
