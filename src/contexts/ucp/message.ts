// What a checkout says of itself in `messages`: what is still missing, and why something did not work.
import type { Problem } from '../checkouts/offer.js';

/** Who can resolve it: the agent by another request, the buyer, or nobody for this checkout. */
export type Severity = 'recoverable' | 'requires_buyer_input' | 'requires_buyer_review' | 'unrecoverable';

/** An error as UCP prints it. `path` is a JSONPath into the checkout. */
export interface Message {
  type: 'error';
  code: string;
  severity: Severity;
  content: string;
  path?: string;
  /** Our own code of what was refused. */
  reason?: string;
}

/** What the agent can mend. */
export function recoverable(code: string, content: string, path?: string): Message {
  return { type: 'error', code, severity: 'recoverable', content, ...(path !== undefined && { path }) };
}

/** What is wrong with a request for which there is no checkout. */
export function unrecoverable(code: string, content: string, path?: string): Message {
  return { ...recoverable(code, content, path), severity: 'unrecoverable' };
}

const lineCodes: Partial<Record<Problem['code'], string>> = {
  unknown_item: 'item_unavailable',
  out_of_stock: 'out_of_stock',
  quantity_exceeded: 'quantity_exceeded',
};

/** True for a problem of a line: a basket that has one is not sold at all. */
export function isOfLine({ code }: Problem): boolean {
  return lineCodes[code] !== undefined;
}

/** The messages about lines that cannot be sold. */
export function lineMessages(problems: readonly Problem[]): Message[] {
  return problems.filter(isOfLine).map(({ code, line, message }) => {
    const path = `$.line_items[${line}]${code === 'unknown_item' ? '.item.id' : '.quantity'}`;
    return unrecoverable(lineCodes[code] ?? code, message, path);
  });
}
