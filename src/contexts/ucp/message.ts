// What a checkout says of itself in `messages`: what is still missing, and why something did not work.
import type { FieldIssue } from '../../platform/errors.js';
import type { Problem } from '../checkouts/offer.js';

/** Who can resolve it: the agent by another request, the buyer, or nobody for this checkout. */
type Severity = 'recoverable' | 'requires_buyer_input' | 'requires_buyer_review' | 'unrecoverable';

/** A message as UCP prints it: an error with who can resolve it, or a warning. `path` is a JSONPath into the checkout. */
export interface UcpMessage {
  type: 'error' | 'warning';
  code: string;
  severity?: Severity;
  content: string;
  path?: string;
  /** Our own code of what was refused. */
  reason?: string;
}

/** What the agent should know. */
export function remark(code: string, content: string): UcpMessage {
  return { type: 'warning', code, content };
}

/** What the agent can mend. */
export function recoverable(code: string, content: string, path?: string): UcpMessage {
  return { type: 'error', code, severity: 'recoverable', content, ...(path !== undefined && { path }) };
}

/** What is wrong with a request for which there is no checkout. */
export function unrecoverable(code: string, content: string, path?: string): UcpMessage {
  return { ...recoverable(code, content, path), severity: 'unrecoverable' };
}

const lineCodes: Readonly<Record<string, { code: string; member: string }>> = {
  unknown_item: { code: 'item_unavailable', member: '.item.id' },
  out_of_stock: { code: 'out_of_stock', member: '.quantity' },
  quantity_exceeded: { code: 'quantity_exceeded', member: '.quantity' },
};

/** The messages about lines that cannot be sold as they are. */
export function lineMessages(problems: readonly Problem[]): UcpMessage[] {
  return problems.flatMap(({ code, line, message }) => {
    const known = lineCodes[code];
    return known === undefined ? [] : [recoverable(known.code, message, `$.line_items[${line}]${known.member}`)];
  });
}

/** The messages about a request that names what the offer does not have, by the issues with which it was refused. */
export function requestMessages(issues: readonly FieldIssue[]): UcpMessage[] {
  const ofLines = issues.filter(({ path: [list] }) => list !== 'selections');
  // What is chosen for items that are not there is no second fault.
  return (ofLines.length > 0 ? ofLines : issues).map(({ path: [list, index], message, rule = 'invalid' }) => {
    if (list === 'selections') return recoverable('invalid', message, '$.fulfillment.methods');
    const known = lineCodes[rule];
    if (known === undefined) return recoverable('invalid', message, '$.line_items');
    return recoverable(known.code, message, `$.line_items[${index}]${known.member}`);
  });
}
