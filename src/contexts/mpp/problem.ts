// Why a payment by the scheme `Payment` was none: the problem types of its specification (RFC 9457).
import { ApiError } from '../../platform/errors.js';
import { ChallengeUsed, InsufficientBalance } from '../spending/errors.js';

/** Each is a 402 with a fresh challenge, but for the one of a method that nobody takes. */
const problems = {
  'malformed-credential': { status: 402, title: 'Malformed Credential' },
  'invalid-challenge': { status: 402, title: 'Invalid Challenge' },
  'payment-expired': { status: 402, title: 'Payment Expired' },
  'payment-insufficient': { status: 402, title: 'Payment Insufficient' },
  'verification-failed': { status: 402, title: 'Verification Failed' },
  'method-unsupported': { status: 400, title: 'Method Unsupported' },
} as const;

export type ProblemType = keyof typeof problems;

/** What is said beside the type. */
interface ProblemFacts {
  /** A word for programs. */
  reason?: string;
  /** The payment whose chain has not answered yet. */
  payment_id?: string;
  /** What refused it, where a rule of the platform did. */
  code?: string;
  details?: object;
}

/** Refuses a credential. */
export class PaymentProblem extends Error {
  readonly type: ProblemType;
  readonly facts: ProblemFacts;

  constructor(type: ProblemType, detail: string, facts: ProblemFacts = {}) {
    super(detail);
    this.type = type;
    this.facts = facts;
  }

  get status(): number {
    return problems[this.type].status;
  }

  /** The body of the answer. */
  get body(): object {
    const { title, status } = problems[this.type];
    return { type: `https://paymentauth.org/problems/${this.type}`, title, status, detail: this.message, ...this.facts };
  }
}

/** The problem that a refusal of the platform is to whoever presents a credential. Throws what is no refusal. */
export function problemOf(error: unknown): PaymentProblem {
  if (error instanceof PaymentProblem) return error;
  if (!(error instanceof ApiError) || error.status >= 500) throw error;
  if (error instanceof ChallengeUsed) return challengeUsed();
  const facts = { code: error.code, ...(error.details !== undefined && { details: error.details }) };
  return new PaymentProblem(error instanceof InsufficientBalance ? 'payment-insufficient' : 'verification-failed', error.message, facts);
}

/** A challenge is answered once. */
export function challengeUsed(): PaymentProblem {
  return new PaymentProblem('invalid-challenge', 'This challenge has been answered before.', { reason: 'challenge_used' });
}
