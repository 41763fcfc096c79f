// Rolls the action of a rule back where nobody refused it: there was nothing to do, or too little.

export class Rollback extends Error {
  readonly status: 'skipped' | 'failed';
  readonly code: string;

  constructor(status: 'skipped' | 'failed', code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
