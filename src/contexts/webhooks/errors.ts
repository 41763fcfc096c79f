// The codes that are the webhooks' own (CONTRACT.md 0 "Errors", 16).
import { declareError } from '../../platform/errors.js';

/** 422: the URL is not one that events are sent to; `details.url_problem` says why. */
export class InvalidWebhookUrl extends declareError(422, 'invalid_webhook_url') {
  constructor(problem: string) {
    super(`This URL ${problem}.`, { details: { url_problem: problem, terminal: true } });
  }
}

/** 409: a workspace has as many subscriptions as it may have. */
export class TooManyWebhooks extends declareError(409, 'state_conflict') {
  constructor(maximum: number, used: number) {
    super(`A workspace has at most ${maximum} subscriptions. Delete one, or add events to one.`, {
      details: {
        limit: { name: 'webhooks', maximum, used },
        next_actions: [{ rel: 'webhooks', actor: 'api_key', method: 'GET', path: '/v1/webhooks' }],
      },
    });
  }
}
