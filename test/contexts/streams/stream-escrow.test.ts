// The proof of the ledger knows what the escrow of a stream has to hold.
import { describe, expect, it } from 'vitest';
import { manifest } from '../../../src/contexts.js';
import { checkLedger } from '../../../src/ledger/trial-balance.js';
import { newStream, step } from '../../factories/stream.js';
import { useHarness } from '../../harness.js';

const harness = useHarness();
const breaks = () => checkLedger(harness.platform.database, manifest.escrows);

describe('the escrow of a stream', () => {
  it('holds what was put in and neither paid out nor returned; anything else is a break', async () => {
    const { stream } = await newStream(harness.test);
    harness.clock.advance(1_000);
    await step(harness.test, stream, 'withdraw');
    await step(harness.test, stream, 'top-up', { amount: '5.00' });
    expect(await breaks()).toEqual([]);
    const { unscoped } = harness.platform.database;
    const { workspaceId, id, escrowAccountId } = await unscoped.stream.findFirstOrThrow({ where: { id: stream.id.slice(4) } });
    const set = (deposited: bigint) => unscoped.stream.update({ where: { workspaceId_id: { workspaceId, id } }, data: { deposited } });
    await set(10_501n);
    expect(await breaks()).toEqual([`money in escrow differs from what explains it: ${escrowAccountId}: 9500 is not 9501`]);
    await set(10_500n);
  });

  it('of a kind that nobody explains has to be empty', async () => {
    await newStream(harness.test);
    const found = await checkLedger(harness.platform.database, []);
    expect(found).toEqual([expect.stringContaining('is not 0'), expect.stringContaining('is not 0')]);
  });
});
