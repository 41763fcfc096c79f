// Refusals of rails of production.
import { declareError } from '../../platform/errors.js';

/** 409: no doctor has passed the rail as it is configured within the last day. */
export class RailUnexamined extends declareError(409, 'rail_unexamined') {
  constructor(rail: string) {
    super(
      `The rail ${rail} was not found in order within the last 24 hours, as it is configured now. Examine it, or switch it on by force.`,
      {
        details: { rail, next_actions: [{ rel: 'diagnose', actor: 'operator', command: `rails doctor ${rail}` }] },
      },
    );
  }
}
