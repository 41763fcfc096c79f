// UCP 2026-08-25: destinations are typed and have ids, a pickup is chosen by its place, and a unit may be asserted of what is bought.
import type { FulfillmentOption, Offer } from '../accounts/offer.js';
import type { Asked, Codec } from './codec.js';
import { type DeliveryMethod, destinationOf, methodTypeOf, waysOf } from './delivery.js';
import { RequestRefused } from './errors.js';
import { recoverable, type UcpMessage } from './message.js';
import { type PickupLocation, placeOf, placesOf } from './place.js';
import type { CheckoutRequest, Destination, FulfillmentRequest, MethodRequest } from './request.js';
import { type CreatedMethod, cartRequest, createRequest, type NamedMethod, quantityUnit, updateRequest } from './request-2026-08-25.js';
import { current } from './version.js';

/** The unit of what is sold here: one of it. */
const each = { unit: 'C62', scale: 0 };

/** The messages about lines whose quantity is asserted to count something else than pieces. */
function unitMessages({ line_items: lines }: CheckoutRequest): UcpMessage[] {
  return lines.flatMap(({ item }, at) => {
    const asserted = quantityUnit.optional().parse(item['quantity_unit']);
    if (asserted === undefined || (asserted.unit === each.unit && (asserted.scale ?? 0) === each.scale)) return [];
    const content = `${item.id} is sold by the piece: leave quantity_unit out, or send C62 with a scale of 0.`;
    return [recoverable('quantity_unit_mismatch', content, `$.line_items[${at}].item.quantity_unit`)];
  });
}

type WireMethod = CreatedMethod | NamedMethod;

/** A method as checkouts keep it, or what is wrong with it. */
function settledMethod(method: WireMethod, at: number, asked: Asked): MethodRequest | UcpMessage {
  const type = methodTypeOf(method);
  const path = `$.fulfillment.methods[${at}]`;
  if (type === undefined || !waysOf(asked.offer).includes(type)) {
    return recoverable('invalid', `The merchant does not deliver by ${method.type ?? method.id}.`, `${path}.type`);
  }
  const common = {
    type,
    ...(method.id !== undefined && { id: method.id }),
    ...('line_item_ids' in method && { line_item_ids: method.line_item_ids }),
  };
  const chosen = type === 'pickup' ? pickedUp(method, asked) : shipped(method, asked);
  if (typeof chosen === 'string') return recoverable('invalid', chosen, `${path}.selected_destination_id`);
  const { option, ...places } = chosen;
  return { ...common, ...places, ...(option !== undefined && { groups: [{ selected_option_id: option }] }) };
}

type Choice = Pick<MethodRequest, 'destinations' | 'selected_destination_id'> & { option?: string | null | undefined };

// Gap G-642: A place that is chosen for a pickup brings its option where it has one alone, and lets go of an option of another place.
function pickedUp({ selected_destination_id: place, groups }: WireMethod, { offer }: Asked): Choice | string {
  const option = groups?.[0]?.selected_option_id;
  if (place === undefined || place === null) return { selected_destination_id: null, option };
  const there = offer.options.filter((one) => placeOf(one) === place);
  const [first, ...others] = there;
  if (first === undefined) return `The merchant has no place ${place}.`;
  const isElsewhere =
    offer.options.some(({ id, location }) => id === option && location !== undefined) && !there.some(({ id }) => id === option);
  const isOpen = option === undefined || isElsewhere;
  return { selected_destination_id: place, option: isOpen ? (others.length === 0 ? first.id : null) : option };
}

// Gap G-643: Destinations that a method of an update leaves out stay as they were, so that one of them can be chosen by its id alone.
function shipped(method: WireMethod, { kept }: Asked): Choice | string {
  const option = method.groups?.[0]?.selected_option_id;
  const before = kept.methods?.find((one) => methodTypeOf(one) === 'shipping');
  const written = method.destinations;
  if (written?.some(({ type = 'shipping_address' }) => type !== 'shipping_address'))
    return 'Goods are sent to destinations of the type shipping_address.';
  const destinations = named(written?.map(({ type: _, ...place }) => place) ?? before?.destinations ?? []);
  const isKept = written === undefined && method.selected_destination_id === undefined;
  const wanted = isKept ? before?.selected_destination_id : method.selected_destination_id;
  const isKnown = typeof wanted !== 'string' || destinations.filter(({ id }) => id === wanted).length === 1;
  if (!isKnown && !isKept) return `There is no destination ${wanted}, or more than one: send each with an id of its own.`;
  // Those of the version before may have named none.
  const selected = isKnown ? wanted : null;
  return { destinations, ...(selected !== undefined && { selected_destination_id: selected }), option };
}

/** Destinations with ids: those that were given, and ours where there is none. */
function named(destinations: readonly Destination[]): (Destination & { id: string })[] {
  const taken = new Set(destinations.map(({ id }) => id));
  return destinations.map((destination, index) => {
    let id = destination.id ?? `destination_${index + 1}`;
    while (destination.id === undefined && taken.has(id)) id += '_';
    taken.add(id);
    return { ...destination, id };
  });
}

function settle(request: CheckoutRequest, asked: Asked): FulfillmentRequest | undefined {
  const messages = unitMessages(request);
  const { fulfillment } = request as { fulfillment?: { methods?: WireMethod[] } };
  const isDelivered = waysOf(asked.offer).length > 0;
  const settled = isDelivered ? (fulfillment?.methods ?? []).map((method, at) => settledMethod(method, at, asked)) : [];
  const isMessage = (one: MethodRequest | UcpMessage): one is UcpMessage => 'severity' in one;
  messages.push(...settled.filter(isMessage));
  if (messages.length > 0) throw new RequestRefused(messages);
  return fulfillment && { methods: settled.filter((one): one is MethodRequest => !isMessage(one)) };
}

/** A place as a destination of a pickup. */
function printPlace(id: string, { name, address }: PickupLocation): object {
  const { line1, line2, city, state, postal_code: postalCode, country } = address;
  return { type: 'business_location', id, name, address: destinationOf({ line1, line2: line2 ?? null, city, state, postalCode, country }) };
}

function printPlaces({ type, destinations, destinationId, optionId }: DeliveryMethod, options: readonly FulfillmentOption[], offer: Offer) {
  if (type === 'shipping') {
    // Those of the version before may have had one id.
    const known = new Map(destinations.toReversed().map((place) => [place.id, place]));
    const printed = destinations.filter((place) => known.get(place.id) === place).map((place) => ({ type: 'shipping_address', ...place }));
    const selected = destinationId !== null && known.has(destinationId) ? destinationId : null;
    return { members: { destinations: printed, selected_destination_id: selected }, options };
  }
  const places = placesOf(offer);
  const option = offer.options.find(({ id }) => id === optionId);
  const place = (option && placeOf(option)) ?? destinationId;
  const selected = places.some(({ id }) => id === place) ? place : null;
  return {
    members: { destinations: places.map(({ id, location }) => printPlace(id, location)), selected_destination_id: selected },
    options: selected === null ? options : options.filter((one) => placeOf(one) === selected),
  };
}

/** The codec of 2026-08-25. */
export const august: Codec = {
  version: current,
  names: /^[a-z](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9_-]*[a-z0-9_])?)+$/,
  keysArePublic: true,
  // Readers of the version before look for the second one.
  keyMembers: ['keys', 'signing_keys'],
  creation: createRequest,
  change: updateRequest,
  cart: cartRequest,
  settle,
  printPlaces,
  printDescription: (said, title) => (said === '' || said.trim() === title.trim() ? undefined : { plain: said }),
};
