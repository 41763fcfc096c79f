// What notes a move where there is no directory.
import type { MoveRecord, MoveStep } from '../../../src/platform/cell/move/move.js';

/** What the directory would note. `fails` makes it lose the connection at a step. */
export class TestRecord implements MoveRecord {
  step: MoveStep = 'copying';
  fails: MoveStep | undefined;
  whenNoted: (step: MoveStep) => Promise<void> = async () => {};

  async note(step: MoveStep): Promise<void> {
    this.step = step;
    if (step === this.fails) throw new Error('killed');
    await this.whenNoted(step);
  }
  async switch(): Promise<void> {
    if (this.fails === 'switched') throw new Error('killed');
    this.step = 'switched';
  }
  async end(): Promise<void> {}
}
