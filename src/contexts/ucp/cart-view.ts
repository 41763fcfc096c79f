// A cart as UCP prints it (cart.json): estimates at the prices of now, without delivery.
import type { Cart } from '../../generated/prisma/client.js';
import { printId } from '../../platform/schema/id.js';
import { emptyOffer, type Offer, offerOf } from '../accounts/offer.js';
import { type Problem, priceBasket } from '../checkouts/offer.js';
import { printCapabilities } from './capability.js';
import { type CartLine, linesOfCart } from './cart.js';
import type { Talk } from './conversation.js';
import { lineMessages, type UcpMessage } from './message.js';
import { linksOf, printLine, totalsOf } from './session-view.js';

/** The cart as it is answered. `messages`: why a request had no effect. */
export function printCart({ codec, active, merchant }: Talk, row: Cart, messages: readonly UcpMessage[] = []): object {
  const lines = linesOfCart(row);
  const offer = offerIn(row, offerOf(merchant));
  const basket = priceBasket(offer, { lines, selections: [], country: null });
  const said = [...lineMessages([...goneFrom(offer, lines), ...basket.problems]), ...messages];
  return {
    ucp: { version: codec.version, status: 'success', capabilities: printCapabilities(active, codec.version) },
    id: printId('cart', row.id),
    line_items: basket.lines.map((line, at) => printLine(line, lines[at]?.name ?? '')),
    currency: row.currency,
    totals: totalsOf(basket),
    ...(row.buyer !== null && { buyer: row.buyer }),
    ...(said.length > 0 && { messages: said }),
    links: linksOf(offer),
    expires_at: row.expiresAt.toISOString(),
  };
}

/** What is offered now, and what no more is as it was when its line was written: so a cart always shows all of its lines. */
function offerIn(row: Cart, now: Offer | null): Offer {
  const isSame = now?.currency === row.currency;
  const known = isSame ? now.items : new Map();
  const gone = linesOfCart(row).flatMap(({ id, title, unitPrice }) =>
    known.has(id) ? [] : [[id, { id, title, unitPrice: BigInt(unitPrice), digital: true, isGone: true }] as const],
  );
  const nothing = emptyOffer(row.currency as Offer['currency']);
  return { ...(isSame ? now : nothing), items: new Map([...known, ...gone]) };
}

function goneFrom({ items }: Offer, lines: readonly CartLine[]): Problem[] {
  return lines.flatMap(({ id, title }, line) => {
    const item = items.get(id);
    return item !== undefined && 'isGone' in item
      ? [{ code: 'unknown_item', line, message: `${title} is not sold any more.` } as const]
      : [];
  });
}
