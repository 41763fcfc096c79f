// What a person does only shortly after having signed in (CONTRACT.md 22 "Step-up"). Programs are not asked.
import { addSeconds } from './clock.js';
import type { Ctx, SignInMethod } from './ctx.js';
import { declareError } from './errors.js';

/** Seconds for which a sign-in counts as recent. */
export const stepUpSeconds = 300;

/** 403: the person has to sign in once more, by one of `methods`. */
export class StepUpRequired extends declareError(403, 'step_up_required') {
  constructor(methods: readonly SignInMethod[]) {
    super('Confirm that it is you: POST /v1/login/step-up, and send the request again.', {
      details: {
        max_age: stepUpSeconds,
        methods,
        // After `POST /v1/login/step-up`.
        retry: { safe: true, same_key: true },
      },
    });
  }
}

/** 403 `step_up_required` for a person whose last sign-in is older than five minutes of real time. */
export function requireStepUp({ actor: { member }, platform }: Pick<Ctx, 'actor' | 'platform'>): void {
  if (member === undefined) return;
  if (member.signedInAt < addSeconds(platform.clock.now(), -stepUpSeconds))
    throw new StepUpRequired(member.methods.includes('passkey') ? ['passkey'] : member.methods);
}
