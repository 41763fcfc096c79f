// What a version of UCP does in its own way. Everything else is one for all versions; what a checkout keeps knows none of them.
import type { z } from 'zod';
import type { FulfillmentOption, Offer } from '../accounts/offer.js';
import type { DeliveryMethod } from './delivery.js';
import type { CartRequest, CheckoutRequest, FulfillmentRequest } from './request.js';

/** What a request is about: what the merchant offers, and what was chosen so far. */
export interface Asked {
  offer: Offer;
  kept: FulfillmentRequest;
}

export interface Codec {
  /** Its name, which is a date. */
  version: string;
  /** Names of services, capabilities and handlers: a domain backwards, then what it names. */
  names: RegExp;
  /** True where a key of a profile must not have private members. */
  keysArePublic: boolean;
  /** The members of our own profile that hold our keys. */
  keyMembers: readonly string[];
  /** The requests as this version writes them. */
  creation: z.ZodType<CheckoutRequest>;
  change: z.ZodType<CheckoutRequest>;
  /** A cart as this version writes it; absent where it has none here. */
  cart?: z.ZodType<CartRequest>;
  /**
   * What a request that was read by one of them chooses, as checkouts keep it; undefined where it says nothing of delivery. Throws
   * `RequestRefused` for what this version wants refused.
   */
  settle(request: CheckoutRequest, asked: Asked): FulfillmentRequest | undefined;
  /** The destinations of a method as members of it, and those of its options that can be chosen there. */
  printPlaces(method: DeliveryMethod, options: readonly FulfillmentOption[], offer: Offer): PrintedPlaces;
  /** What an option says of itself beside its title; undefined for nothing. */
  printDescription(said: string, title: string): unknown;
}

export interface PrintedPlaces {
  members: Readonly<Record<string, unknown>>;
  options: readonly FulfillmentOption[];
}
