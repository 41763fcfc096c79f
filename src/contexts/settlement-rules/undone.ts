// Why the action of a rule was not carried out, where nobody refused it: there was nothing to do, or too little.

export class Undone extends Error {
  readonly status: 'skipped' | 'failed';
  readonly code: string;

  constructor(status: 'skipped' | 'failed', code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
