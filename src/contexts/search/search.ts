// One search for whatever stands on an invoice, in a log or in a mail: an id, a reference, a name or an e-mail address.
import { nameOf, nouns } from '../../manifest/noun.js';
import type { Ctx } from '../../platform/ctx.js';
import { hasScope } from '../../platform/schema/audience.js';
import { parseAnyId, printSubject } from '../../platform/schema/id.js';
import { type FoundRow, rowsOfId, rowsOfText } from './search.sql.js';

/** Something that was found. */
export interface SearchHit {
  type: string;
  id: string;
  name: string | null;
  status: string | null;
  /** The transfer that it is about. */
  transferId: string | null;
}

/** Of each kind of name so many. */
const mostOfKind = 10;
/** More than every kind of name gives. */
export const mostHits = 100;

/** Only an API key sees keys and tokens, by their own endpoints. */
const closed: ReadonlySet<string> = new Set(['api_key', 'portal_token']);

// Gap G-447: Search finds ids of every noun but credentials, whole references, and beginnings of names and e-mails; operators only.
/**
 * What has the id `text`; and whose reference it is, or whose name or e-mail address begins with it, in any case of letters. An id that
 * nothing has finds nothing.
 */
export async function search(ctx: Ctx, text: string): Promise<SearchHit[]> {
  const id = parseAnyId(text);
  const tables = tablesOf(ctx);
  const found = await (id === null ? rowsOfText(ctx, text, mostOfKind) : rowsOfId(ctx, tables, id));
  const open = new Set(tables.map(({ type }) => type));
  return found
    .filter(({ type }) => open.has(type))
    .slice(0, mostHits)
    .map((row) => hitOf(ctx, row));
}

/** The tables of the nouns that the scopes of the caller open. */
function tablesOf({ actor, platform }: Ctx): { type: string; table: string }[] {
  return platform.extensions.of(nouns).flatMap((noun) => {
    const isOpen = noun.scope !== undefined && hasScope(actor, noun.scope);
    return noun.table === undefined || closed.has(noun.table) || !isOpen ? [] : [{ type: nameOf(noun), table: noun.table }];
  });
}

function hitOf({ actor }: Ctx, { type, id, name, status, transferId }: FoundRow): SearchHit {
  const about = type === 'transfer' ? id : transferId;
  return { type, id: printSubject(type, id), name, status, transferId: hasScope(actor, 'transfers:read') ? about : null };
}
