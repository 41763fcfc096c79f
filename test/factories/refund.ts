// Completed payments, refunds of them, and disputes.
import { newId } from '../../src/platform/schema/id.js';
import type { Client, Harness, Json } from '../harness.js';
import { newAccount, pay, twoWallets } from './payment.js';

/** A payment of 100.00 USD, or another amount, between two accounts. */
export async function payment(client: Client, amount = '100.00', extra: object = {}): Promise<{ from: Json; to: Json; transfer: Json }> {
  const { from, to } = await twoWallets(client, { funded: '1000.00' });
  return { from, to, transfer: await pay(client, from, to, amount, extra) };
}

export function refundBody(transfer: Json, extra: object = {}): object {
  return { original_transfer_id: transfer.id, reason: 'customer_request', ...extra };
}

export function disputeBody(transfer: Json, extra: object = {}): object {
  return { transfer_id: transfer.id, reason: 'service_not_received', description: 'Nothing came.', ...extra };
}

/** A dispute of a payment of 100.00 USD. */
export async function dispute(client: Client, extra: object = {}): Promise<{ from: Json; to: Json; transfer: Json; dispute: Json }> {
  const paid = await payment(client);
  return { ...paid, dispute: await client.make('/v1/disputes', disputeBody(paid.transfer, extra)) };
}

/** The workspace of a client, for rows that production gets no money to make. */
async function workspaceOf({ platform }: Harness, client: Client): Promise<string> {
  const { id } = await newAccount(client);
  return (await platform.database.unscoped.account.findFirstOrThrow({ where: { id } })).workspaceId;
}

const about = (at: Date) => ({ id: newId(at), currency: 'USD', createdAt: at });

/** A refund as it would stand in the workspace of a client. */
export async function storedRefund(harness: Harness, client: Client): Promise<Json> {
  const at = harness.clock.now();
  const data = { ...about(at), workspaceId: await workspaceOf(harness, client), originalTransferId: newId(at), amount: 100n };
  const by = { initiatedByType: 'api_key', initiatedById: newId(at) } as const;
  return harness.platform.database.unscoped.refund.create({ data: { ...data, ...by, reason: 'other', status: 'pending' } });
}

/** A dispute as it would stand in the workspace of a client. */
export async function storedDispute(harness: Harness, client: Client): Promise<Json> {
  const at = harness.clock.now();
  const data = { ...about(at), workspaceId: await workspaceOf(harness, client), transferId: newId(at), amountDisputed: 100n };
  const by = { filedByType: 'api_key', filedById: newId(at), respondBy: at, updatedAt: at } as const;
  const text = { reason: 'other', description: 'Nothing came.', status: 'open' } as const;
  return harness.platform.database.unscoped.dispute.create({ data: { ...data, ...by, ...text } });
}
