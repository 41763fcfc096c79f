// What a provider tells us of its own accord: signed over the bytes of the body, with a key of the workspace and the rail. Real providers
// come through rail.door.ts, simulated ones call the same function (CONTRACT.md 12).
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Payout } from '../../generated/prisma/client.js';
import type { Vault } from '../../platform/crypto.js';
import { type Ctx, type Environment, type Platform, workspaceOf } from '../../platform/ctx.js';
import { systemCtx } from '../../platform/due/step.js';
import { InvalidJson, NotFound, ValidationFailed } from '../../platform/errors.js';
import { transact } from '../../platform/idempotency.js';
import { amountPattern, formatMinor } from '../../platform/money.js';
import { lockRow } from '../../platform/postgres/row.js';
import { railCurrencies } from '../transfers/rail.js';
import { CallbackUnsigned } from './errors.js';
import { follow } from './payout-life.js';
import { type RailAnswer, railFor } from './rail.js';
import { reasonOf } from './rail-code.js';

const states = ['accepted', 'settled', 'rejected', 'returned'] as const;
export type CallbackState = (typeof states)[number];

const text = (most: number) => z.string().min(1).max(most);
/** The body of a callback. */
export const callbackBody = z.strictObject({
  workspace: z.uuid().describe('Our account at the provider: the id of the workspace.'),
  reference: text(35).describe('That of the order.'),
  state: z.enum(states),
  amount: z.string().regex(amountPattern),
  currency: text(8),
  code: text(32).optional().describe('Why it was rejected or returned, in the words of the rail.'),
  reason: text(200).optional(),
  expected_at: z.iso.datetime().optional().describe('When an accepted order settles.'),
});
type Body = z.infer<typeof callbackBody>;

/** What a callback is answered. */
export const callbackAnswer = z.strictObject({ data: z.strictObject({ reference: z.string(), status: z.string() }) });

/** Signatures are good for so long, in real time. */
const toleranceSeconds = 300;

/** The key by which a rail signs for a workspace. It is derived, so nothing is stored of it. */
function keyOf(vault: Vault, workspaceId: string, rail: string): Buffer {
  return vault.sign('rail-callback', `${workspaceId} ${rail}`);
}

function macOf(key: Buffer, seconds: string, raw: Uint8Array): Buffer {
  return createHmac('sha256', key).update(`${seconds}.`).update(raw).digest();
}

/** The value of `X-Rail-Signature` for a body: the time in seconds and the HMAC-SHA256 of time, a point and the bytes. */
export function signCallback(
  vault: Vault,
  { workspaceId, rail, at }: { workspaceId: string; rail: string; at: Date },
  raw: Uint8Array,
): string {
  const seconds = String(Math.floor(at.getTime() / 1000));
  return `t=${seconds},v1=${macOf(keyOf(vault, workspaceId, rail), seconds, raw).toString('hex')}`;
}

/** A callback as it arrives. */
export interface Arrival {
  environment: Environment;
  rail: string;
  /** `X-Rail-Signature`. */
  signature: string;
  raw: Uint8Array;
}

/**
 * Takes a callback in: what it says of one of the workspace's own payouts is followed, once. 401 for a signature that is missing, wrong
 * or old, 400 for another body, 404 for a reference that the workspace does not have, 503 where nobody serves the rail.
 */
export async function receiveCallback(platform: Platform, arrival: Arrival): Promise<z.infer<typeof callbackAnswer>> {
  const { environment, rail } = arrival;
  const currency = railCurrencies[rail];
  if (currency === undefined) throw new NotFound();
  railFor({ workspace: { environment } as Ctx['workspace'] }, rail, currency);
  const body = read(platform, arrival);
  const row = await platform.database.unscoped.workspace.findFirst({ where: { id: body.workspace, environment } });
  if (row === null) throw new NotFound();
  const ctx = systemCtx(platform, workspaceOf(row));
  const payout = await apply(ctx, rail, body);
  return { data: { reference: body.reference, status: payout.status } };
}

/** The body, when its signature is right. */
function read(platform: Platform, { rail, signature, raw }: Arrival): Body {
  const [, seconds, mac] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
  const age = Math.abs(platform.clock.now().getTime() / 1000 - Number(seconds));
  if (seconds === undefined || mac === undefined || age > toleranceSeconds) throw new CallbackUnsigned();
  const body = parse(raw);
  const expected = macOf(keyOf(platform.vault, body.workspace, rail), seconds, raw);
  if (!timingSafeEqual(expected, Buffer.from(mac, 'hex'))) throw new CallbackUnsigned();
  return body;
}

function parse(raw: Uint8Array): Body {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(raw));
  } catch (cause) {
    throw new InvalidJson('The body is not valid JSON.', cause);
  }
  const read = callbackBody.safeParse(value);
  if (read.success) return read.data;
  throw new ValidationFailed(
    read.error.issues.map(({ path, message, code }) => ({
      path: path.map((step) => (typeof step === 'number' ? step : String(step))),
      message,
      rule: code,
    })),
  );
}

/** Follows what is said of a payout, under its lock. */
async function apply(ctx: Ctx, rail: string, body: Body): Promise<Payout> {
  const found = await ctx.db.payout.findFirst({ where: { rail, railReference: body.reference }, select: { id: true } });
  if (found === null) throw new NotFound('reference');
  return transact(ctx, async (tx) => {
    const payout = await lockRow(tx.payout, found.id);
    if (payout.railReference !== body.reference) return payout;
    const booked = `${body.amount} ${body.currency}`;
    if (booked !== `${formatMinor(payout.amount, payout.currency)} ${payout.currency}`) {
      // What is right is found out from the statement: the payout is that of its order (Gap G-166).
      ctx.log.warn({ payoutId: payout.id, rail, booked }, 'a rail has booked another amount than that of its order');
    }
    return follow(ctx, tx, payout, answerOf(ctx, body));
  });
}

function answerOf(ctx: Ctx, { state, code = 'unknown', reason, expected_at }: Body): RailAnswer {
  if (state === 'accepted') return { state, expectedAt: expected_at === undefined ? ctx.clock.now() : new Date(expected_at) };
  return state === 'settled' ? { state } : { state, code, reason: reason ?? reasonOf(code) };
}

/** What a simulated rail says; amounts in minor units. */
type Said = Omit<Body, 'workspace' | 'amount'> & { amount: bigint };

/** Tells the platform something as a provider does: signed, and of its own accord. A reference that it no longer has is passed over. */
export async function sendCallback({ platform, workspace }: Ctx, rail: string, { amount, ...said }: Said): Promise<void> {
  const { id: workspaceId, environment } = workspace;
  const body: Body = { ...said, workspace: workspaceId, amount: formatMinor(amount, said.currency) };
  const raw = Buffer.from(JSON.stringify(body));
  const signature = signCallback(platform.vault, { workspaceId, rail, at: platform.clock.now() }, raw);
  try {
    await receiveCallback(platform, { environment, rail, signature, raw });
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
  }
}
