// Lifecycles: every step that is in the table is allowed, every other one is a 409 that says from where it would be, and what
// helps. All requests that they name exist.
import { describe, expect, it } from 'vitest';
import { accountLifecycle } from '../../src/contexts/accounts/account.js';
import { walletLifecycle } from '../../src/contexts/accounts/wallet.js';
import { agentLifecycle } from '../../src/contexts/agents/agent.js';
import { keyLifecycle } from '../../src/contexts/agents/key.js';
import { approvalLifecycle } from '../../src/contexts/spending/approval/approval.js';
import { transferLifecycle } from '../../src/contexts/transfers/transfer.js';
import { webhookLifecycle } from '../../src/contexts/webhooks/webhook.js';
import { StateConflict } from '../../src/platform/errors.js';
import { allowedFrom, checkStep, type Lifecycle, wrongStatus } from '../../src/platform/lifecycle.js';
import { operationAt } from '../openapi.js';
import { faultOf } from '../way-out.js';

interface Case {
  lifecycle: Lifecycle<string>;
  final: string[];
}
const cases: Record<string, Case> = {
  account: { lifecycle: accountLifecycle as Lifecycle<string>, final: ['closed'] },
  wallet: { lifecycle: walletLifecycle as Lifecycle<string>, final: ['closed'] },
  agent: { lifecycle: agentLifecycle as Lifecycle<string>, final: ['revoked'] },
  approval: { lifecycle: approvalLifecycle as Lifecycle<string>, final: ['approved', 'rejected', 'expired', 'cancelled'] },
  key: { lifecycle: keyLifecycle as Lifecycle<string>, final: ['rotated', 'revoked'] },
  transfer: { lifecycle: transferLifecycle as Lifecycle<string>, final: ['completed', 'failed', 'cancelled'] },
  webhook: { lifecycle: webhookLifecycle as Lifecycle<string>, final: [] },
};

/** What `step` throws, if it does. */
function refusalOf(step: () => void): StateConflict | undefined {
  try {
    step();
  } catch (error) {
    expect(error).toBeInstanceOf(StateConflict);
    return error as StateConflict;
  }
  return undefined;
}

describe.each(Object.entries(cases))('the lifecycle of a %s', (_noun, { lifecycle, final }) => {
  const statuses = Object.keys(lifecycle.steps);

  it('allows what its table says and refuses the rest, saying what helps', () => {
    for (const from of statuses) {
      for (const to of statuses) {
        const refusal = refusalOf(() => checkStep(lifecycle, 'x', from, to));
        expect(refusal === undefined, `${from} to ${to}`).toBe(lifecycle.steps[from]?.includes(to));
        if (refusal === undefined) continue;
        expect(refusal.details).toMatchObject({ current_status: from, allowed_from: allowedFrom(lifecycle, to) });
        expect(faultOf(refusal.status, refusal.details)).toBeNull();
      }
    }
  });

  it('suggests only requests that lead where they must from the status that there is', () => {
    for (const current of statuses) {
      for (const wanted of statuses.filter((status) => status !== current)) {
        const { details } = wrongStatus(lifecycle, 'x', current, [wanted], 'No.');
        const known = lifecycle.requests.filter(
          ({ to, from }) => to === wanted && lifecycle.steps[current]?.includes(to) && (from?.includes(current) ?? true),
        );
        expect(details?.next_actions?.map(({ rel }) => rel) ?? []).toEqual(known.map(({ rel }) => rel));
        expect(details?.terminal).toBe(known.length === 0 ? true : undefined);
      }
    }
  });

  it('names requests that exist', () => {
    const path = lifecycle.path.replace('{id}', 'x');
    const missing = lifecycle.requests.filter((request) => operationAt(request.method, path + (request.path ?? '')) === undefined);
    expect(missing).toEqual([]);
    expect(operationAt('GET', path)).toBeDefined();
  });

  it('leads only to statuses that it knows, and ends where it must', () => {
    for (const next of Object.values(lifecycle.steps)) for (const to of next) expect(statuses).toContain(to);
    expect(statuses.filter((status) => lifecycle.steps[status]?.length === 0)).toEqual(final);
  });
});
