// How the goods of a checkout are delivered: the methods of UCP that an agent chose or that the offer suggests, one group of items each.
import { isDeepStrictEqual } from 'node:util';
import type { FulfillmentOption, Offer } from '../accounts/offer.js';
import { type PostalAddress, wireAddress } from '../checkouts/checkout.js';
import type { Problem, Selection } from '../checkouts/offer.js';
import { recoverable, type UcpMessage } from './message.js';
import type { Destination, FulfillmentRequest, MethodRequest } from './request.js';

/** A line of the checkout, by the name that both sides give it. */
export interface NamedLine {
  id: string;
  itemId: string;
  digital: boolean;
}

export type MethodType = 'shipping' | 'pickup';

// Gap G-290: A pickup of UCP 2026-04-08 has no destinations; each place is an option that its description names.
/** One method with what was chosen for it. A pickup keeps no destinations: its options have places, one of which was chosen perhaps. */
export interface DeliveryMethod {
  type: MethodType;
  lineIds: string[];
  destinations: (Destination & { id: string })[];
  destinationId: string | null;
  optionId: string | null;
}

export interface Delivery {
  methods: DeliveryMethod[];
  selections: Selection[];
  /** Which method each selection is of. */
  chosen: number[];
  /** Where it goes, where that is known well enough to write on a parcel. */
  address: PostalAddress | null;
  /** Two letters. */
  country: string | null;
  messages: UcpMessage[];
}

const methodTypes: readonly MethodType[] = ['shipping', 'pickup'];

/** True when something in the basket has to be delivered, and the merchant says how. */
export function needsDelivery(offer: Offer, lines: readonly NamedLine[]): boolean {
  return lines.some(({ digital }) => !digital) && waysOf(offer).length > 0;
}

/** The types of method that a merchant offers. */
export function waysOf({ options }: Pick<Offer, 'options'>): MethodType[] {
  return methodTypes.filter((type) => options.some((option) => option.type === type));
}

/** Reads what was chosen. What cannot be is said in `messages`, and in what pricing the basket finds. */
export function planDelivery(offer: Offer, lines: readonly NamedLine[], { methods: asked = [] }: FulfillmentRequest): Delivery {
  const goods = lines.filter(({ digital }) => !digital);
  const methods = goods.length === 0 ? [] : methodsOf(offer, goods, asked);
  const messages: UcpMessage[] = [];
  const at = methods.findIndex(({ type, lineIds }) => type === 'shipping' && lineIds.length > 0);
  const shipping = methods[at];
  const place = shipping?.destinations.findIndex(({ id }) => id === shipping.destinationId) ?? -1;
  const destination = shipping?.destinations[place];
  if (destination !== undefined) messages.push(...addressMessages(destination, `$.fulfillment.methods[${at}].destinations[${place}]`));
  const address = destination === undefined || messages.length > 0 ? null : addressOf(destination);
  const chosen = methods.flatMap(({ optionId, lineIds }, index) => (optionId === null || lineIds.length === 0 ? [] : [index]));
  const itemIds = new Map(goods.map(({ id, itemId }) => [id, itemId]));
  const selections = chosen.map((index): Selection => {
    const { optionId, lineIds } = methods[index] as DeliveryMethod;
    return { optionId: optionId ?? '', itemIds: [...new Set(lineIds.map((id) => itemIds.get(id) ?? ''))] };
  });
  return { methods, selections, chosen, address, country: address?.country ?? null, messages };
}

/** The methods that were asked for, or one for all goods where none was. */
function methodsOf(offer: Offer, goods: readonly NamedLine[], asked: readonly MethodRequest[]): DeliveryMethod[] {
  const ways = waysOf(offer);
  const known = new Set(goods.map(({ id }) => id));
  const named = new Set(asked.flatMap(({ line_item_ids: ids = [] }) => ids));
  const rest = goods.map(({ id }) => id).filter((id) => !named.has(id));
  let restIsTaken = false;
  const methods: DeliveryMethod[] = [];
  for (const request of asked) {
    const type = methodTypeOf(request);
    if (type === undefined || !ways.includes(type) || methods.some((method) => method.type === type)) continue;
    const ids = request.line_item_ids?.filter((id) => known.has(id)) ?? (restIsTaken ? [] : rest);
    if (request.line_item_ids === undefined) restIsTaken = true;
    methods.push(methodOf(type, ids, request));
  }
  const [first] = ways;
  if (methods.length === 0 && first !== undefined) return [methodOf(first, rest, {})];
  return methods;
}

/** The type of a method, if it is one that is known here. Our methods are named by their types. */
export function methodTypeOf({ type, id }: { type?: string | undefined; id?: string | undefined }): MethodType | undefined {
  return methodTypes.find((name) => name === (type ?? id));
}

function methodOf(type: MethodType, lineIds: string[], request: MethodRequest): DeliveryMethod {
  const optionId = request.groups?.[0]?.selected_option_id ?? null;
  const wanted = request.selected_destination_id ?? null;
  // Each place of a pickup is that of an option.
  if (type === 'pickup') return { type, lineIds, destinations: [], destinationId: wanted, optionId };
  const destinations = (request.destinations ?? []).map((given, index) => ({ ...given, id: given.id ?? `destination_${index + 1}` }));
  const [only, ...others] = destinations;
  const isSole = request.selected_destination_id === undefined && others.length === 0;
  return { type, lineIds, destinations, destinationId: isSole ? (only?.id ?? null) : wanted, optionId };
}

const needed = ['street_address', 'address_locality', 'postal_code', 'address_country'] as const;

function addressMessages(destination: Destination, path: string): UcpMessage[] {
  const missing = needed.filter((part) => destination[part] === undefined);
  const country = destination.address_country;
  return [
    ...missing.map((part) => recoverable('missing', `The destination has no ${part}.`, `${path}.${part}`)),
    ...(country === undefined || /^[A-Za-z]{2}$/.test(country)
      ? []
      : [recoverable('invalid', 'Name the country by its two letters of ISO 3166-1.', `${path}.address_country`)]),
  ];
}

function addressOf(destination: Destination): PostalAddress {
  return {
    line1: destination.street_address ?? '',
    line2: destination.extended_address ?? null,
    city: destination.address_locality ?? '',
    state: destination.address_region ?? null,
    postalCode: destination.postal_code ?? '',
    country: (destination.address_country ?? '').toUpperCase(),
  };
}

const isSamePlace = (one: PostalAddress | null, other: PostalAddress | null): boolean =>
  isDeepStrictEqual(one && wireAddress(one), other && wireAddress(other));

// Gap G-292: An address that was changed under /v1 replaces the chosen destination, or becomes one named `address`.
/** What was chosen, going to `address`: under /v1, which knows no methods, that may have become another. Null: nowhere yet. */
export function goingTo(chosen: FulfillmentRequest, address: PostalAddress | null): FulfillmentRequest {
  const methods = chosen.methods?.length ? chosen.methods : [{ type: 'shipping' as const }];
  const request = methods.find((method) => methodTypeOf(method) === 'shipping');
  if (request === undefined) return chosen;
  const { destinations, destinationId } = methodOf('shipping', [], request);
  const before = destinations.find(({ id }) => id === destinationId);
  const known = before === undefined || addressMessages(before, '').length > 0 ? null : addressOf(before);
  if (isSamePlace(known, address)) return chosen;
  const { id = 'address', first_name, last_name, phone_number } = before ?? {};
  const place = address && { id, first_name, last_name, phone_number, ...destinationOf(address) };
  const moved = {
    ...request,
    destinations: place === null ? destinations : [...destinations.filter((destination) => destination.id !== id), place],
    selected_destination_id: place && id,
  };
  return { methods: methods.map((method) => (method === request ? moved : method)) };
}

/** An address as a destination has it, without what it lacks. */
export function destinationOf({ line1, line2, city, state, postalCode, country }: PostalAddress): Destination {
  return {
    street_address: line1,
    ...(line2 != null && { extended_address: line2 }),
    address_locality: city,
    ...(state != null && { address_region: state }),
    postal_code: postalCode,
    address_country: country,
  };
}

/** The messages about what pricing the basket found to be wrong with its delivery, or still to be chosen. */
export function deliveryMessages({ methods, chosen, messages }: Delivery, problems: readonly Problem[]): UcpMessage[] {
  const open = (test: (method: DeliveryMethod) => boolean) => `$.fulfillment.methods[${Math.max(0, methods.findIndex(test))}]`;
  const found = problems.flatMap(({ code, selection, message }): UcpMessage[] => {
    switch (code) {
      case 'unknown_option':
      case 'option_unsuited':
      case 'option_repeated':
      case 'option_out_of_reach':
        return [recoverable('invalid', message, `$.fulfillment.methods[${chosen[selection ?? 0]}].groups[0].selected_option_id`)];
      case 'destination_missing':
        // What the chosen address lacks is said already.
        if (messages.length > 0) return [];
        return [recoverable('missing', message, `${open(({ type }) => type === 'shipping')}.selected_destination_id`)];
      case 'option_missing':
        return [recoverable('missing', message, `${open(({ optionId }) => optionId === null)}.groups[0].selected_option_id`)];
      case 'undeliverable':
        return [recoverable('address_undeliverable', message, `${open(({ type }) => type === 'shipping')}.selected_destination_id`)];
      default:
        return [];
    }
  });
  return [...messages, ...found];
}

/** The options of a method, in the merchant's order. `reachable`: those that get to the destination. */
export function optionsOf({ type }: Pick<DeliveryMethod, 'type'>, reachable: readonly FulfillmentOption[]): FulfillmentOption[] {
  return reachable.filter((option) => option.type === type);
}
