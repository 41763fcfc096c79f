// What a provider tells us of its own accord: signed over the bytes of the body, with a key of the workspace and the rail. Real providers
// come through rail.door.ts, simulated ones call the same function (CONTRACT.md 12).
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { type Ctx, type Environment, type Platform, workspaceOf } from '../../../platform/ctx.js';
import { systemCtx } from '../../../platform/due/step.js';
import type { Effect } from '../../../platform/effect.js';
import { InvalidJson, NotFound } from '../../../platform/errors.js';
import { transact } from '../../../platform/idempotency.js';
import { amountPattern, formatMinor } from '../../../platform/money.js';
import type { Vault } from '../../../platform/secrets/vault.js';
import { readBy } from '../../../platform/zod-issue.js';
import { knownRails, RailUnavailable } from '../../transfers/rail.js';
import { CallbackUnsigned } from '../errors.js';
import { findOrder, lockOrder, type Ordered } from './order-kind.js';
import { type RailAnswer, railOf } from './rail.js';
import { reasonOfCode } from './rail-code.js';

const states = ['accepted', 'settled', 'rejected', 'returned'] as const;
export type CallbackState = (typeof states)[number];

const text = (most: number) => z.string().min(1).max(most);
/** The body of a callback. */
export const callbackBody = z.strictObject({
  workspace: z.uuid().describe('Our account at the provider: the id of the workspace.'),
  reference: text(35).describe('Our reference of the order.'),
  state: z.enum(states).describe('What became of the order.'),
  amount: z.string().regex(amountPattern).describe('Amount of the order, a decimal string in `currency`.'),
  currency: text(8).describe('Currency of the order.'),
  code: text(32).optional().describe('Why it was rejected or returned, in the words of the rail.'),
  reason: text(200).optional().describe('The same as a sentence for people.'),
  paid: z.boolean().optional().describe('Of a returned order: whether it had been paid. False by default.'),
  expected_at: z.iso.datetime().optional().describe('When an accepted order settles.'),
});
type Body = z.infer<typeof callbackBody>;

/** What a callback is answered. */
export const callbackAnswer = z.strictObject({
  data: z
    .strictObject({
      reference: z.string().describe('The reference of the order, as it was sent.'),
      status: z.string().describe('Status of the order after the callback.'),
    })
    .describe('What the callback came to.'),
});

/** Signatures are good for so long, in real time. */
const toleranceSeconds = 300;

/** The keys by which a rail may sign for a workspace, the newest first. They are derived, so nothing is stored of them. */
function keysOf(vault: Vault, workspaceId: string, rail: string): [Buffer, ...Buffer[]] {
  return vault.signatures('rail-callback', `${workspaceId} ${rail}`) as [Buffer, ...Buffer[]];
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
  const [key] = keysOf(vault, workspaceId, rail);
  return `t=${seconds},v1=${macOf(key, seconds, raw).toString('hex')}`;
}

/** A callback as it arrives. */
export interface CallbackArrival {
  environment: Environment;
  rail: string;
  /** `X-Rail-Signature`. */
  signature: string;
  raw: Uint8Array;
  /** Of the request that it came with. */
  effect?: Effect;
}

/**
 * Takes a callback in: what it says of one of the workspace's own orders is followed, once. 401 for a signature that is missing, wrong
 * or old, 400 for another body, 404 for a reference that the workspace does not have, 503 where nobody serves the rail.
 */
export async function receiveCallback(platform: Platform, arrival: CallbackArrival): Promise<z.infer<typeof callbackAnswer>> {
  const { environment, rail, effect } = arrival;
  if (!Object.hasOwn(knownRails({ platform }), rail)) throw new NotFound();
  if (railOf({ platform, workspace: { environment } }, rail) === undefined) throw new RailUnavailable(rail);
  const body = read(platform, arrival);
  const there = platform.cells.only ?? (await platform.cells.find({ workspaceId: body.workspace }));
  const row = await there.database.unscoped.workspace.findFirst({ where: { id: body.workspace, environment } });
  if (row === null) throw new NotFound();
  const ctx = systemCtx(there, workspaceOf(row), { action: 'railCallback' }, effect);
  const { status } = await apply(ctx, rail, body);
  return { data: { reference: body.reference, status } };
}

/** The body, when its signature is right. */
function read(platform: Platform, { rail, signature, raw }: CallbackArrival): Body {
  const [, seconds, mac] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
  const age = Math.abs(platform.clock.now().getTime() / 1000 - Number(seconds));
  if (seconds === undefined || mac === undefined || age > toleranceSeconds) throw new CallbackUnsigned();
  const body = parse(raw);
  const given = Buffer.from(mac, 'hex');
  const isSigned = keysOf(platform.vault, body.workspace, rail).some((key) => timingSafeEqual(macOf(key, seconds, raw), given));
  if (!isSigned) throw new CallbackUnsigned();
  return body;
}

function parse(raw: Uint8Array): Body {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(raw));
  } catch (cause) {
    throw new InvalidJson('The body is not valid JSON.', cause);
  }
  return readBy(callbackBody, value);
}

/** Follows what is said of an order, under the lock of its row. */
async function apply(ctx: Ctx, rail: string, body: Body): Promise<Ordered> {
  const found = await findOrder(ctx, { rail, railReference: body.reference });
  if (found === null) throw new NotFound('reference');
  const { kind } = found;
  return transact(ctx, async (tx) => {
    const row = await lockOrder(ctx, kind, tx, found.row);
    if (row.railReference !== body.reference) return row;
    const booked = `${body.amount} ${body.currency}`;
    if (booked !== `${formatMinor(row.amount, row.currency)} ${row.currency}`) {
      // Gap G-166: A payout follows its order; what the rail books differently is left to the statement and logged.
      ctx.log.warn({ [kind.noun]: row.id, rail, booked }, 'a rail has booked another amount than that of its order');
    }
    return kind.follow(ctx, tx, row, answerOf(ctx, body));
  });
}

function answerOf(ctx: Ctx, { state, code = 'unknown', reason, paid, expected_at }: Body): RailAnswer {
  if (state === 'accepted') return { state, expectedAt: expected_at === undefined ? ctx.clock.now() : new Date(expected_at) };
  if (state === 'settled') return { state };
  const why = { code, reason: reason ?? reasonOfCode(code) };
  return state === 'rejected' ? { state, ...why } : { state, wasPaid: paid ?? false, ...why };
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
