// The caller's own name for a transfer: unique for the account that pays, or that is credited where nobody pays, for ever, over every
// status (decision 0048). ledger_claim_faults() reads the same key.
import type { Claim } from '../../../ledger/posting.js';
import { AlreadyExists } from '../../../platform/errors.js';
import type { Tx } from '../../../platform/postgres/database.js';

/** Characters of an account's id in a key, with what parts it from the reference. */
const ownerLength = 37;

// Gap G-50: A `reference` is unique for the paying account, over every status; a second one is 409 `already_exists`.
/** What a transfer uses up with its reference. */
export function referenceClaim(accountId: string, reference: string, transferId: string): Claim {
  return { kind: 'reference', key: `${accountId}/${reference}`, reference: transferId };
}

/** 409 for the key of a reference that another transfer of the account has. */
export function duplicateReference(key: string): AlreadyExists {
  const reference = key.slice(ownerLength);
  const path = `/v1/transfers?reference=${encodeURIComponent(reference)}&from_account_id=${key.slice(0, ownerLength - 1)}`;
  return new AlreadyExists('Another transfer of this account has this reference.', {
    details: { reference, next_actions: [{ rel: 'existing', actor: 'any', method: 'GET', path }] },
  });
}

/** 409 for a reference that the account has taken before references were an account's. A posting asks it by itself. */
export async function refuseReferenceOfBefore(tx: Tx, { key }: Claim): Promise<void> {
  const old = await tx.claim.findFirst({ where: { kind: 'reference', key: key.slice(ownerLength) } });
  if (old === null || old.reference === null) return;
  const named = await tx.transfer.findFirst({ where: { id: old.reference }, select: { fromAccountId: true, toAccountId: true } });
  if ((named?.fromAccountId ?? named?.toAccountId) === key.slice(0, ownerLength - 1)) throw duplicateReference(key);
}
