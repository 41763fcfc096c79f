// The codes that are the webhooks' own (CONTRACT.md 0 "Errors", 16).
import { declareError, StateConflict } from '../../platform/errors.js';

/** 422: the URL is not one that events are sent to; `details.url_problem` says why. */
export class InvalidWebhookUrl extends declareError(422, 'invalid_webhook_url') {
  constructor(problem: string, help = '') {
    super(`This URL ${problem}.${help}`, { details: { url_problem: problem, terminal: true } });
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

// Gap G-752: Address and events of an order webhook stay as the profile had them (409); it is paused and deleted like any other.
/** 409: a protocol has made the subscription. */
export class MadeByProtocol extends StateConflict {
  constructor(status: string) {
    super('A protocol has made this subscription: its address and its events are not changed. Pause it, or delete it.', status, [], {
      terminal: true,
    });
  }
}
