// Lifecycles are tables: every step that is in the table is allowed, every other one is a 409 that says from where it would be.
import { describe, expect, it } from 'vitest';
import { accountLifecycle } from '../../src/contexts/accounts/account.js';
import { walletLifecycle } from '../../src/contexts/accounts/wallet.js';
import { transferLifecycle } from '../../src/contexts/transfers/transfer.js';
import { StateConflict } from '../../src/platform/errors.js';
import { allowedFrom, checkStep, type Lifecycle } from '../../src/platform/lifecycle.js';

const lifecycles: Record<string, Lifecycle<string>> = {
  account: accountLifecycle as Lifecycle<string>,
  wallet: walletLifecycle as Lifecycle<string>,
  transfer: transferLifecycle as Lifecycle<string>,
};
const terminal: Record<string, string[]> = { account: ['closed'], wallet: ['closed'], transfer: ['completed', 'failed', 'cancelled'] };

for (const [noun, lifecycle] of Object.entries(lifecycles)) {
  describe(`the lifecycle of a ${noun}`, () => {
    const statuses = Object.keys(lifecycle);

    it('allows what its table says and refuses the rest', () => {
      for (const from of statuses) {
        for (const to of statuses) {
          const step = () => checkStep(lifecycle, noun, from, to);
          if (lifecycle[from]?.includes(to)) expect(step).not.toThrow();
          else {
            expect(step).toThrow(StateConflict);
            try {
              step();
            } catch (error) {
              expect((error as StateConflict).details).toEqual({ current_status: from, allowed_from: allowedFrom(lifecycle, to) });
            }
          }
        }
      }
    });

    it('leads only to statuses that it knows, and ends where it must', () => {
      for (const next of Object.values(lifecycle)) for (const to of next) expect(statuses).toContain(to);
      expect(statuses.filter((status) => lifecycle[status]?.length === 0)).toEqual(terminal[noun]);
    });
  });
}
