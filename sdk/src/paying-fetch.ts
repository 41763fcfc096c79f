// A fetch that pays: a 402 of x402 or MPP is paid from a wallet of the platform, within a maximum for each call and in total, and the
// request is sent again with what proves it. The platform's own limits hold beside these.
import type { Client } from './client.js';
import type { Fetch } from './credential.js';
import { demandIn, encode, type MppDemand, majorOf, unitsOf, type X402Demand } from './demand.js';
import { ApiError } from './error.js';
import type { components } from './generated/api.js';
import { holding } from './send.js';

export interface PaymentLimits {
  /** The wallet that pays. */
  walletId: string;
  /** The agent that spends; by default the one that the client signs in as. MPP needs one. */
  agentId?: string;
  /** Of the amounts below, and of every price that is paid; USDC by default. */
  currency?: string;
  /** The most that one call may cost, such as 0.10. */
  maxPerCall: string;
  /** The most that all calls may cost together. */
  maxTotal: string;
  /** Sends the requests that may have to be paid. */
  fetch?: Fetch;
}

/** What was paid. */
export interface Payment {
  protocol: 'x402' | 'mpp';
  id: string;
  amount: string;
  currency: string;
  /** What the seller checks: the proof of x402, the receipt of MPP. Undefined while it waits for an approval. */
  proof: string | undefined;
}

/** Calls like fetch(). `spent` is what the calls have cost so far, with those whose end nobody knows. */
export interface PayingFetch {
  (input: string | URL | Request, init?: RequestInit): Promise<Response>;
  readonly spent: string;
}

/**
 * Why a call was not paid, or was paid in vain. `over_maximum`, `over_total`, `wrong_currency` and `redirected` (another host asks for the
 * payment than the one that was called): nothing was paid. `waits_for_approval`: a person decides. `not_accepted`, `unanswered`: it was
 * paid, and the seller did not take it, or was not heard from.
 */
export class PaymentError extends Error {
  override readonly name = 'PaymentError';
  readonly reason:
    | 'over_maximum'
    | 'over_total'
    | 'wrong_currency'
    | 'redirected'
    | 'no_agent'
    | 'waits_for_approval'
    | 'not_accepted'
    | 'unanswered';
  readonly payment: Payment | undefined;
  readonly approval: components['schemas']['PendingApproval'] | undefined;

  constructor(
    reason: PaymentError['reason'],
    message: string,
    facts: { payment?: Payment; approval?: components['schemas']['PendingApproval'] | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: facts.cause });
    this.reason = reason;
    this.payment = facts.payment;
    this.approval = facts.approval;
  }
}

/** What calls may cost, and have cost. */
class Purse {
  readonly #limits: PaymentLimits;
  #spent = 0n;

  constructor(limits: PaymentLimits) {
    this.#limits = limits;
    for (const amount of [limits.maxPerCall, limits.maxTotal]) unitsOf(amount);
  }

  get spent(): string {
    return majorOf(this.#spent);
  }

  /** Pays within the limits. What is under way counts, so that calls at the same moment stay below the total together. */
  async spend<T>(amount: string, currency: string, pay: () => Promise<T>): Promise<T> {
    const { maxPerCall, maxTotal, currency: own = 'USDC' } = this.#limits;
    const cost = unitsOf(amount);
    if (currency !== own) throw new PaymentError('wrong_currency', `The call costs ${amount} ${currency}, and the limits are in ${own}.`);
    if (cost > unitsOf(maxPerCall))
      throw new PaymentError('over_maximum', `The call costs ${amount}, more than the maximum of ${maxPerCall}.`);
    if (this.#spent + cost > unitsOf(maxTotal))
      throw new PaymentError('over_total', `The call costs ${amount}, and ${this.spent} of ${maxTotal} are spent.`);
    this.#spent += cost;
    try {
      return await pay();
    } catch (error) {
      if (error instanceof ApiError && isRefusal(error)) this.#spent -= cost;
      throw error;
    }
  }
}

/** Only a refusal says that nothing was paid: after an answer such as a 503 or a 504 nobody knows, and while the key is still in use. */
function isRefusal({ status, code, details }: ApiError): boolean {
  return status < 500 && code !== 'idempotency_in_flight' && details.retry?.safe !== false;
}

// Gap G-392: The SDK sends a proof in `PAYMENT-SIGNATURE` or `Authorization: Payment`; the seller asks the platform to verify it.
/** Makes a fetch that pays from a wallet, with the credential of the client. */
export function payingFetch(client: Client, limits: PaymentLimits): PayingFetch {
  const purse = new Purse(limits);
  const { fetch: send = (request: Request) => fetch(request) } = limits;

  async function paying(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init);
    const again = request.clone();
    const answer = holding(await send(request), request);
    const demand = answer.status === 402 ? await demandIn(answer) : undefined;
    if (demand === undefined) return answer;
    answer.body?.cancel().catch(() => {});
    if (answer.redirected && new URL(answer.url).origin !== new URL(request.url).origin)
      throw new PaymentError('redirected', `${answer.url} asks for a payment, where ${request.url} was called: call it to pay it.`);
    request.signal.throwIfAborted();
    const { payment, shown } =
      demand.protocol === 'x402'
        ? await payX402(client, limits, purse, demand, request)
        : await payMpp(client, limits, purse, demand, request);
    // At the platform's own door the payment is all there is to get.
    if (request.url.startsWith(`${client.baseUrl}/x402/`))
      return Response.json({ paid: true, payment_id: payment.id, proof: payment.proof ?? null });
    again.headers.set(...shown);
    const served = await send(again).catch((cause: unknown) => unanswered(payment, cause));
    return taken(payment, holding(served, again));
  }
  return Object.defineProperty(paying, 'spent', { get: () => purse.spent }) as PayingFetch;
}

/** A payment, and the header that shows it to the seller. */
interface Paid {
  payment: Payment;
  shown: [name: string, value: string];
}

/** Pays by x402. What the call's signal ends is the question for the price: a payment that has begun is heard of to its end. */
async function payX402(
  client: Client,
  limits: PaymentLimits,
  purse: Purse,
  { required, offers }: X402Demand,
  { signal }: Request,
): Promise<Paid> {
  const { walletId, agentId = client.agentId } = limits;
  const { data: quote } = await client.POST('/v1/x402/quote', {
    body: { payment_required: required, from_wallet_id: walletId },
    signal,
  });
  const payment = await purse.spend(quote.amount, quote.currency, async () => {
    const { data, approval } = await client.POST('/v1/x402/pay', {
      body: {
        from_wallet_id: walletId,
        payment_request_id: quote.payment_request_id,
        max_amount: limits.maxPerCall,
        ...(agentId !== undefined && { agent_id: agentId }),
      },
    });
    const { id, amount, currency, proof } = data;
    return settled({ protocol: 'x402', id, amount, currency, proof: proof ?? undefined }, approval);
  });
  // It has priced the offer on its own ledger.
  const accepted = offers.find(({ payTo }) => payTo === quote.pay_to) ?? offers[0];
  const payload = { x402Version: 2, resource: required['resource'], accepted, payload: { proof: payment.proof } };
  return { payment, shown: ['PAYMENT-SIGNATURE', encode(payload, 'base64')] };
}

async function payMpp(client: Client, limits: PaymentLimits, purse: Purse, demand: MppDemand, { url }: Request): Promise<Paid> {
  const { walletId, agentId = client.agentId } = limits;
  if (agentId === undefined) throw new PaymentError('no_agent', 'MPP is paid by an agent: name it as agentId.');
  const { amount, currency, header, challenge, recipient } = demand;
  const payment = await purse.spend(amount, currency, async () => {
    const { data, approval } = await client.POST('/v1/mpp/pay', {
      body: {
        service_url: url,
        amount,
        currency: currency as components['schemas']['Wallet']['currency'],
        agent_id: agentId,
        wallet_id: walletId,
        challenge: header,
        ...(recipient !== undefined && { payee_wallet_id: recipient }),
      },
    });
    return settled(
      { protocol: 'mpp', id: data.id, amount: data.amount, currency: data.currency, proof: data.receipt ?? undefined },
      approval,
    );
  });
  return { payment, shown: ['Authorization', `Payment ${encode({ challenge, payload: { receipt: payment.proof } }, 'base64url')}`] };
}

function settled(payment: Payment, approval: components['schemas']['PendingApproval'] | undefined): Payment {
  if (approval !== undefined)
    throw new PaymentError('waits_for_approval', `The payment waits for the approval ${approval.id}.`, { payment, approval });
  return payment;
}

function taken(payment: Payment, answer: Response): Response {
  if (answer.status === 402) throw new PaymentError('not_accepted', 'The seller asks for a payment again.', { payment });
  return answer;
}

function unanswered(payment: Payment, cause: unknown): never {
  throw new PaymentError('unanswered', 'The call was paid, and the seller was not heard from.', { payment, cause });
}
