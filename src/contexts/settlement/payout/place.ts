// The place that a payout goes to, found from what a request says of it: the rail that reaches it, what is shown of it, and what only the
// rail is told (CONTRACT.md 2 "Destinations", 12).
import type { PayoutDestination } from '../../../generated/prisma/client.js';
import type { Ctx } from '../../../platform/ctx.js';
import { NotFound, ValidationFailed } from '../../../platform/errors.js';
import { parseId, printId } from '../../../platform/schema/id.js';
import type { DestinationInput } from '../../transfers/destination.input.js';
import type { ShownDestination } from '../../transfers/destination.js';
import { evmRails } from '../../transfers/rail.js';
import { WrongRail } from '../errors.js';
import { railOf } from '../rail/rail.js';
import { readDetails } from './bank-details.js';

export interface PayoutPlace {
  rail: string;
  /** In settlement.* events and on the payout: bank, pix and spei are `bank`, addresses are `wallet`. */
  type: PayoutDestination;
  // Gap G-163: Of a pix or spei destination only the end is shown (`****4725`); the whole is stored encrypted.
  /** What is shown of it. */
  ref: string;
  /** The same on the transfer, as the request put it. */
  shown: ShownDestination;
  bankAccountId: string | null;
  /** What the rail is told, where it is no bank account of ours. */
  whole: Record<string, string> | null;
}

/** Finds the place. 404 for an unknown bank account, 400 for what is no address, key or CLABE, 422 for a rail that does not reach it. */
export async function payoutPlaceOf(ctx: Ctx, destination: DestinationInput, rail?: string | null): Promise<PayoutPlace> {
  const place = await (destination.type === 'bank' ? bankPlace(ctx, destination) : directPlace(ctx, destination));
  if (rail == null || place.rails.includes(rail)) return { ...place, rail: rail ?? (place.rails[0] as string) };
  throw new WrongRail(rail, place.rails);
}

/** A place, and the rails that reach it, the usual one first. */
type Reached = Omit<PayoutPlace, 'rail'> & { rails: readonly string[] };

// Gap G-156: An agent pays out to bank accounts of its own account, by id, and reads none; operators to any of the workspace.
/** An agent pays out to the bank accounts of its own account; of others it learns nothing. */
async function bankPlace(ctx: Ctx, { ref, name }: DestinationInput): Promise<Reached> {
  const id = parseId('bankAccount', ref);
  const { agent } = ctx.actor;
  const where = { deletedAt: null, ...(agent !== undefined && { accountId: agent.parentAccountId }) };
  const found = id === null ? null : await ctx.db.bankAccount.findFirst({ where: { id, ...where } });
  if (found === null) throw new NotFound('destination', 'ref');
  const shownRef = printId('bankAccount', found.id);
  const shown = { type: 'bank', ref: shownRef, ...(name != null && { name }) } as const;
  return { rails: [found.rail], type: 'bank', ref: shownRef, shown, bankAccountId: found.id, whole: null };
}

async function directPlace(ctx: Ctx, { type, ref, name }: DestinationInput): Promise<Reached> {
  const named = name == null ? {} : { name };
  if (type === 'pix' || type === 'spei') {
    const whole = type === 'pix' ? detailsAt('pix', { key: ref }) : detailsAt('spei', { clabe: ref });
    const masked = `****${ref.trim().slice(-4)}`;
    return { rails: [type], type: 'bank', ref: masked, shown: { type, ref: masked, ...named }, bankAccountId: null, whole };
  }
  const address = ref.trim();
  const rails = chainsOf(ctx, address);
  if (rails === null) throw atRef('is no address of a chain: 0x and 40 hexadecimal digits, or base58 of 32 bytes');
  const shown = { type: 'address', ref: address, ...named } as const;
  return { rails, type: 'wallet', ref: address, shown, bankAccountId: null, whole: { address } };
}

/** The check digits of a key or a CLABE, with what is wrong told of the member that the request has. */
function detailsAt(rail: 'pix' | 'spei', details: { key?: string; clabe?: string }): Record<string, string> {
  try {
    return readDetails(rail, details);
  } catch (error) {
    if (error instanceof ValidationFailed) throw atRef(error.fields?.[0]?.message ?? 'is wrong');
    throw error;
  }
}

function atRef(message: string): ValidationFailed {
  return new ValidationFailed([{ path: ['destination', 'ref'], message, rule: 'check' }]);
}

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** True for 32 bytes in base58, as Solana writes its addresses. */
function isBase58Key(text: string): boolean {
  if (text.length < 32 || text.length > 44 || [...text].some((character) => !alphabet.includes(character))) return false;
  const value = [...text].reduce((sum, character) => sum * 58n + BigInt(alphabet.indexOf(character)), 0n);
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  return zeros + Math.ceil((value === 0n ? 0 : value.toString(16).length) / 2) === 32;
}

// Gap G-161: 0x and 40 hex digits is usdc-base, or usdc-polygon where `rail` says so; base58 of 32 bytes is usdc-solana.
/** The rails that reach an address, by its form: those that are connected first. */
function chainsOf(ctx: Ctx, address: string): readonly string[] | null {
  if (/^0x[0-9a-fA-F]{40}$/.test(address)) {
    const named = evmRails(ctx);
    const isConnected = (name: string) => railOf(ctx, name) !== undefined;
    return [...named.filter(isConnected), ...named.filter((name) => !isConnected(name))];
  }
  return isBase58Key(address) ? ['usdc-solana'] : null;
}
