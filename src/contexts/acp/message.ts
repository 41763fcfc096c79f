// What a session says to the agent: what is still missing, what is sold out, what became of a payment.
import type { Checkout } from '../../generated/prisma/client.js';
import { jsonPath } from '../checkouts/json-path.js';
import type { Problem } from '../checkouts/offer.js';
import type { AcpMessage, AcpStatus } from './session-shape.js';

type Spelled = Pick<AcpMessage, 'code' | 'resolution'> & { at: (problem: Problem) => (string | number)[] };

const ofLine = ({ line = 0 }: Problem) => ['line_items', line, 'item', 'id'];
const ofSelection = ({ selection = 0 }: Problem) => ['selected_fulfillment_options', selection, 'option_id'];

/** How ACP says each problem of a basket, and who can mend it. */
const problems: Readonly<Record<Problem['code'], Spelled>> = {
  unknown_item: { code: 'not_found', resolution: 'recoverable', at: ofLine },
  out_of_stock: { code: 'out_of_stock', resolution: 'recoverable', at: ofLine },
  quantity_exceeded: { code: 'quantity_exceeded', resolution: 'recoverable', at: ({ line = 0 }) => ['line_items', line, 'quantity'] },
  unknown_option: { code: 'not_found', resolution: 'recoverable', at: ofSelection },
  option_unsuited: { code: 'unsupported', resolution: 'recoverable', at: ofSelection },
  option_repeated: { code: 'unsupported', resolution: 'recoverable', at: ofSelection },
  option_out_of_reach: { code: 'region_restricted', resolution: 'recoverable', at: ofSelection },
  destination_missing: { code: 'missing', resolution: 'requires_buyer_input', at: () => ['fulfillment_details', 'address'] },
  option_missing: { code: 'missing', resolution: 'requires_buyer_input', at: () => ['selected_fulfillment_options'] },
  undeliverable: {
    code: 'region_restricted',
    resolution: 'requires_buyer_input',
    at: () => ['fulfillment_details', 'address', 'country'],
  },
};

const plain = 'plain' as const;

function problemMessage(problem: Problem): AcpMessage {
  const { at, ...spelled } = problems[problem.code];
  return { type: 'error', ...spelled, param: jsonPath(at(problem)), content_type: plain, content: problem.message };
}

/** A payment that was declined, or has failed: another one may be tried. */
export function declinedMessage(content: string): AcpMessage {
  const param = '$.payment_data';
  return { type: 'error', code: 'payment_declined', resolution: 'recoverable', param, content_type: plain, content };
}

/** Codes of discounts that were asked for: there are none. */
function discountMessages(codes: readonly string[]): AcpMessage[] {
  return codes.map((_, index) => ({
    type: 'warning',
    code: 'discount_code_invalid',
    param: jsonPath(['discounts', 'codes', index]),
    content_type: plain,
    content: 'Discounts are not supported.',
  }));
}

/** What is said of a status that explains itself badly. */
const infos: Partial<Record<AcpStatus, string>> = {
  pending_approval: 'The payment is waiting for an approval.',
  complete_in_progress: 'The payment is in progress.',
  canceled: 'The checkout session has been canceled.',
  expired: 'The checkout session has expired: create a new one.',
};

/** All that a session says. */
export function acpMessagesOf(
  { status, failureMessage }: Pick<Checkout, 'status' | 'failureMessage'>,
  shown: AcpStatus,
  found: readonly Problem[],
  discountCodes: readonly string[],
): AcpMessage[] {
  const info = infos[shown];
  return [
    ...(info === undefined ? [] : [{ type: 'info' as const, content_type: plain, content: info }]),
    ...found.map(problemMessage),
    ...(status === 'failed' ? [declinedMessage(failureMessage ?? 'The payment has failed.')] : []),
    ...discountMessages(discountCodes),
  ];
}
