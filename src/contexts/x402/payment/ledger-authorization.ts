// An authorization of the ledger network: what the agent whose wallet pays has signed with its Ed25519 key, over its canonical JSON
// (CONTRACT.md 9). The time is real time, as it is for whoever signs.
import canonicalize from 'canonicalize';
import { z } from 'zod';
import type { Actor, Ctx } from '../../../platform/ctx.js';
import { systemCtx } from '../../../platform/due/step.js';
import { amountPattern, parseMinor } from '../../../platform/money.js';
import { createCtx } from '../../../platform/request.js';
import { parseId } from '../../../platform/schema/id.js';
import { type WalletRef, walletRef } from '../../accounts/wallet-ref.js';
import { actingAgent } from '../../agents/agent.js';
import { keyThumbprint, verifySignature } from '../../agents/ed25519.js';
import { ledgerNetwork } from '../chain/network.js';
import { PaymentInvalid } from '../errors.js';
import type { Requirements } from '../wire/wire.js';

const authorizationSchema = z.strictObject({
  network: z.string(),
  endpoint_id: z.string(),
  /** Major units, as everywhere on our own wire. */
  amount: z.string().regex(amountPattern),
  currency: z.string(),
  pay_to: z.string(),
  payer_wallet: z.string(),
  nonce: z.string().regex(/^[A-Za-z0-9_-]{8,128}$/),
  /** Seconds since 1970, in decimal digits. */
  valid_before: z.string().regex(/^\d{1,12}$/),
});
const payloadSchema = z.strictObject({ signature: z.string().max(128), authorization: authorizationSchema });

/** An authorization that was signed by the agent that it lets pay. */
export interface LedgerAuthorization {
  /** The ctx of that agent: what it asks for is its own. */
  payer: Ctx;
  from: WalletRef;
  endpointId: string;
  /** Minor units. */
  amount: bigint;
  nonce: string;
}

/** Reads an authorization that pays what is required. Throws PaymentInvalid with a reason of the specification. */
export async function readAuthorization(
  ctx: Ctx,
  payload: Record<string, unknown>,
  requirements: Requirements,
): Promise<LedgerAuthorization> {
  const read = payloadSchema.safeParse(payload);
  if (!read.success) throw invalid('invalid_payload', 'The payload is not an authorization of the ledger network.');
  const { signature, authorization } = read.data;
  const { network, currency, pay_to: payTo, nonce } = authorization;
  if (network !== ledgerNetwork(ctx) || requirements.network !== network)
    throw invalid('invalid_network', 'The authorization is for another network.');
  const signer = await walletSigner(ctx, authorization.payer_wallet);
  const text = canonicalize(authorization) ?? '';
  if (signer === null || !verifySignature(signer.publicKey, text, signature))
    throw invalid('invalid_signature', 'The authorization is not signed by the agent whose wallet pays.');
  const endpointId = parseId('x402Endpoint', authorization.endpoint_id);
  if (endpointId === null || parseId('wallet', payTo) !== requirements.payTo || currency !== requirements.asset)
    throw invalid('invalid_payment_requirements', 'The authorization does not pay what is required.');
  if (Number(authorization.valid_before) * 1000 <= ctx.platform.clock.now().getTime())
    throw invalid('invalid_valid_before', 'The authorization has expired.');
  return { payer: signer.payer, from: signer.from, endpointId, nonce, amount: parseMinor(authorization.amount, currency, ['amount']) };
}

function invalid(reason: string, message: string): PaymentInvalid {
  return new PaymentInvalid(reason, message);
}

/** An agent that signs for a wallet of its own. */
export interface WalletSigner {
  /** The ctx of that agent: what it asks for is its own. */
  payer: Ctx;
  from: WalletRef;
  publicKey: Uint8Array;
}

/** The agent whose own wallet it is, with its key; null where there is none that may sign. */
export async function walletSigner(ctx: Ctx, wallet: string): Promise<WalletSigner | null> {
  const walletId = parseId('wallet', wallet);
  const from = walletId === null ? null : await walletRef(ctx, walletId);
  if (from?.agentId == null) return null;
  const agent = await actingAgent(systemCtx(ctx.platform, ctx.workspace, null), from.agentId);
  const key = await ctx.db.agentKey.findFirst({ where: { agentId: from.agentId, status: 'active' }, select: { publicKey: true } });
  if (agent === null || key === null || agent.status === 'suspended' || agent.status === 'revoked') return null;
  const credential = { kind: 'none', id: agent.id, keyThumbprint: keyThumbprint(key.publicKey) } as const;
  const actor: Actor = { type: 'agent', id: agent.id, name: agent.name, scopes: [], credential, agent };
  return { payer: createCtx(ctx.platform, { actor, workspace: ctx.workspace }, ctx), from, publicKey: key.publicKey };
}
