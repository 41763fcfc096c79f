// Cursors of lists: an opaque text that carries the row where a page begins and the numbers of the first page. It is signed, and belongs to
// one list: the same workspace, agent and filters (CONTRACT.md 0 "Envelope").
import type { Ctx } from '../ctx.js';

/** How many rows a list has: `count`, or at least that many (see G-94). */
export interface Total {
  count: number;
  isMinimum: boolean;
}

/** What a cursor carries. */
export interface CursorContent {
  /** Id of the last row of the page before. */
  after: string;
  /** Number, size and total of the first page. */
  page: number;
  pageSize: number;
  total: Total;
}

/** Longest text that is read as a cursor or as the id of a row. */
export const longestCursor = 400;
const prefix = 'cur_';

/** The cursor as text. `list` says whose it is: everything that chooses the rows. */
export function printCursor(ctx: Ctx, list: string, { after, page, pageSize, total }: CursorContent): string {
  const content = Buffer.from(JSON.stringify([after, page, pageSize, total.count, total.isMinimum])).toString('base64url');
  return `${prefix}${content}.${signatureOf(ctx, list, content).toString('base64url')}`;
}

/** True for a text that is to be read as a cursor, and not as an id. */
export function isCursor(text: string): boolean {
  return text.startsWith(prefix);
}

/** What is in a cursor; null for one that was changed, or that was printed for another list. */
export function readCursor(ctx: Ctx, list: string, text: string): CursorContent | null {
  const [content = '', signature = ''] = text.slice(prefix.length).split('.');
  if (!ctx.platform.vault.isSigned('cursor', signedText(ctx, list, content), Buffer.from(signature, 'base64url'))) return null;
  const [after, page, pageSize, count, isMinimum] = JSON.parse(Buffer.from(content, 'base64url').toString()) as [
    string, number, number, number, boolean,
  ]; // biome-ignore format: the members in their order
  return { after, page, pageSize, total: { count, isMinimum } };
}

// Gap G-93: A cursor is signed and works for the list that printed it, with any `limit`; for another list it is 400.
function signatureOf(ctx: Ctx, list: string, content: string): Buffer {
  return ctx.platform.vault.sign('cursor', signedText(ctx, list, content));
}

function signedText({ workspace, actor }: Ctx, list: string, content: string): string {
  return JSON.stringify([workspace.id, actor.agent?.id ?? null, list, content]);
}
