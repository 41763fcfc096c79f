// Things that tests of settlement windows and of the reserve need.
import { walletRef } from '../../src/contexts/accounts/wallet-ref.js';
import { rateBook } from '../../src/contexts/rates/rate.js';
import { postSpend } from '../../src/contexts/spending/pipeline/posting.js';
import { transferPosting, transferRow } from '../../src/contexts/transfers/transfer.js';
import { withholdingOf } from '../../src/contexts/transfers/withholding.js';
import type { Protocol, Transfer } from '../../src/generated/prisma/client.js';
import { parseMinor } from '../../src/platform/money.js';
import type { Client, Harness, Json } from '../harness.js';
import { ctxOf } from '../ledger/wallet-ref.js';

export function windowBody(extra: object = {}): Json {
  return { name: 'Nightly', rail: 'ach', currency: 'USD', frequency: 'daily', schedule_utc: ['18:00'], ...extra };
}

export function newWindow(client: Client, extra: object = {}): Promise<Json> {
  return client.make('/v1/settlement-windows', windowBody(extra));
}

/** Deletes every window, and runs what that lets go. */
export async function endWindows(harness: Harness): Promise<void> {
  const windows = (await harness.test.get('/v1/settlement-windows')).body.data;
  for (const { id } of windows) await harness.test.delete(`/v1/settlement-windows/${id}`);
  if (windows.length > 0) await harness.runDue();
}

/** A payment that a protocol made: no request of this version makes one. */
export async function protocolPayment(
  harness: Harness,
  from: Json,
  to: Json,
  amount: string,
  protocol: Protocol = 'x402',
): Promise<Transfer> {
  const ctx = await ctxOf(harness, harness.test);
  const [payer, payee] = await Promise.all([walletRef(ctx, from.id), walletRef(ctx, to.id)]);
  if (payer === null || payee === null) throw new Error('a payment has two wallets');
  const value = {
    type: 'internal',
    protocol,
    from: payer,
    to: payee,
    amount: parseMinor(amount, payer.currency, []),
    currency: payer.currency,
    at: ctx.clock.now(),
    withholding: await withholdingOf(ctx, protocol, payee),
  } as const;
  const transfer = transferRow(ctx, value);
  const rules = { rates: await rateBook(ctx) };
  await postSpend(ctx, transferPosting(ctx, transfer, value, { limits: [], guards: [], rules }), { key: transfer.id });
  return transfer;
}
