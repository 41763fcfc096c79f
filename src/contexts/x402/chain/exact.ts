// Whether an authorization of EIP-3009 pays what is required: what the reference facilitator checks, in its order, with the reasons of the
// specification (x402 "exact" on EVM).
import type { Ctx } from '../../../platform/ctx.js';
import { parseId } from '../../../platform/schema/id.js';
import type { Requirements } from '../wire/wire.js';
import { type Bytes32, type ChainAddress, parseAddress, parseBytes32, parseUint256 } from './address.js';
import { type Chain, chainAnswer } from './chain.js';
import type { ChainNetwork } from './network.js';
import { authorizationDigest, signerOf, type TransferAuthorization } from './transfer-authorization.js';

/** What a payment was signed for, as it claims, and what was signed. */
export interface SignedPayment {
  version: 1 | 2;
  scheme: string;
  network: string;
  payload: Record<string, unknown>;
}

export type ExactVerification =
  | { isValid: true; payer: ChainAddress; authorization: TransferAuthorization; signature: string }
  | { isValid: false; invalidReason: string; payer?: string };

/** An authorization must be good for so many seconds more, in which it can reach the chain. */
const leastSeconds = 6n;

/** What is signed can be read; whether it pays is another question. */
interface Readable {
  authorization: TransferAuthorization;
  signature: string;
}

/** Asks everything, the chain at last: whether the nonce is unused and the money is there. */
export async function verifyExact(ctx: Ctx, chain: Chain, payment: SignedPayment, requirements: Requirements): Promise<ExactVerification> {
  const { own } = chain;
  const readable = readPayload(payment.payload);
  const payer = payerIn(payment.payload);
  const refuse = (invalidReason: string): ExactVerification => ({ isValid: false, invalidReason, ...(payer !== undefined && { payer }) });
  if (payment.scheme !== 'exact' || requirements.scheme !== 'exact') return refuse('unsupported_scheme');
  const { name, version } = requirements.extra;
  if (typeof name !== 'string' || typeof version !== 'string') return refuse('invalid_payment_requirements');
  if (payment.network !== requirements.network || !isOwn(own, requirements.network)) return refuse('invalid_network');
  const [asset, payTo] = [parseAddress(requirements.asset), parseAddress(requirements.payTo)];
  if (asset !== own.token.address || payTo === null) return refuse('invalid_payment_requirements');
  if (readable === null) return refuse('invalid_payload');
  const { authorization, signature } = readable;
  const domain = { name, version, chainId: own.chainId, verifyingContract: asset };
  // Signed for another name or version is signed for another contract: the token's own would not take it.
  const isOfToken = name === own.token.name && version === own.token.version;
  if (!isOfToken || signerOf(authorizationDigest(domain, authorization), signature) !== authorization.from)
    return refuse('invalid_exact_evm_payload_signature');
  const reason =
    faultOf(authorization, { payTo, amount: BigInt(requirements.amount), now: secondsNow(ctx) }) ??
    (await chainAnswer(chain.faultOf(ctx, authorization, signature)));
  return reason === null ? { isValid: true, payer: authorization.from, authorization, signature } : refuse(reason);
}

function isOwn({ network, nameV1 }: ChainNetwork, name: string): boolean {
  return name === network || name === nameV1;
}

// Gap G-302: `validBefore` and `valid_before` are held to real time, also where the test clock was moved.
/** Seconds since 1970, of real time. */
function secondsNow({ platform }: Ctx): bigint {
  return BigInt(Math.floor(platform.clock.now().getTime() / 1000));
}

function faultOf(authorization: TransferAuthorization, asked: { payTo: ChainAddress; amount: bigint; now: bigint }): string | null {
  const { to, validBefore, validAfter, value } = authorization;
  if (to !== asked.payTo) return 'invalid_exact_evm_payload_recipient_mismatch';
  if (validBefore < asked.now + leastSeconds) return 'invalid_exact_evm_payload_authorization_valid_before';
  if (validAfter > asked.now) return 'invalid_exact_evm_payload_authorization_valid_after';
  return value === asked.amount ? null : 'invalid_exact_evm_payload_authorization_value_mismatch';
}

/** The authorization in a payload; null where a member is missing or is none. */
export function readPayload({ signature, authorization }: Record<string, unknown>): Readable | null {
  if (typeof signature !== 'string' || typeof authorization !== 'object' || authorization === null) return null;
  const text = (member: string): string => {
    const value = (authorization as Record<string, unknown>)[member];
    return typeof value === 'string' ? value : '';
  };
  const [from, to, nonce] = [parseAddress(text('from')), parseAddress(text('to')), parseBytes32(text('nonce'))];
  const value = parseUint256(text('value'));
  const [validAfter, validBefore] = [parseUint256(text('validAfter')), parseUint256(text('validBefore'))];
  if (from === null || to === null || nonce === null || value === null || validAfter === null || validBefore === null) return null;
  return { authorization: { from, to, value, validAfter, validBefore, nonce: nonce as Bytes32 }, signature };
}

/** A payer as payments are stored under it: the bare id of a wallet, or an address in lower case. */
export function storedPayer(payer: string): string {
  return parseId('wallet', payer) ?? payer.toLowerCase();
}

/** Who pays, as the payload says it. */
export function payerIn({ authorization }: Record<string, unknown>): string | undefined {
  const { from, payer_wallet: wallet } = (authorization ?? {}) as { from?: unknown; payer_wallet?: unknown };
  return [from, wallet].find((one) => typeof one === 'string');
}
