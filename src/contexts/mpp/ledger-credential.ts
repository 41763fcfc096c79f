// A credential of the method `ledger`: the agent whose wallet pays has signed the whole challenge, so that nobody can show it other terms
// than those that it pays (CONTRACT.md 9).
import canonicalize from 'canonicalize';
import { z } from 'zod';
import type { Ctx } from '../../platform/ctx.js';
import { printId } from '../../platform/schema/id.js';
import { verifySignature } from '../agents/ed25519.js';
import { type WalletSigner, walletSigner } from '../x402/payment/ledger-authorization.js';
import type { Credential } from './challenge.js';
import { PaymentProblem } from './problem.js';

const payloadShape = z.strictObject({ payer_wallet: z.string().max(64), signature: z.string().max(128) });

// Gap G-317: The agent signs the canonical JSON of `{challenge, payer_wallet}` with every member that the challenge binds.
/** The agent that pays, and its wallet. Throws PaymentProblem where the credential is not signed by it. */
export async function readLedgerCredential(ctx: Ctx, { challenge, payload, source }: Credential): Promise<WalletSigner> {
  const { success, data } = payloadShape.safeParse(payload);
  if (!success) throw new PaymentProblem('malformed-credential', 'The payload needs payer_wallet and signature, and no more.');
  const signer = await walletSigner(ctx, data.payer_wallet);
  // Whoever shows the challenge to a person may describe it in other words: these alone are not bound.
  const { description: _, ...bound } = challenge;
  const text = canonicalize({ challenge: bound, payer_wallet: data.payer_wallet }) ?? '';
  if (signer === null || !verifySignature(signer.publicKey, text, data.signature))
    throw new PaymentProblem('verification-failed', 'The challenge is not signed by the agent whose wallet pays.', {
      reason: 'invalid_signature',
    });
  const agentId = signer.from.agentId ?? '';
  if (source !== undefined && source !== printId('agent', agentId))
    throw new PaymentProblem('verification-failed', 'The source is not the agent whose wallet pays.', { reason: 'source' });
  return signer;
}
