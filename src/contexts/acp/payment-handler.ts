// How a session of ACP is paid here: by the handlers of this platform. None of them needs a delegated token (see G-272).
import { ValidationFailed } from '../../platform/errors.js';
import type { PaymentHandler } from '../accounts/offer.js';
import type { CheckoutPayment } from '../checkouts/payment.js';
import { type PayingHandler, payingHandlers, paymentByToken, tokenKinds } from '../checkouts/payment-token.js';
import type { CompleteSession } from './request-shape.js';
import type { AcpHandler } from './session-shape.js';
import { acpVersion } from './version.js';

const titles: Record<PayingHandler, string> = { wallet: 'Wallet', mandate: 'AP2 mandate', card: 'Vaulted card' };

export interface HandlerFacts {
  allowed: readonly PaymentHandler[];
  merchantId: string;
  environment: 'test' | 'live';
  origin: string;
}

/** The handlers of a session. */
export function handlersOf({ allowed, merchantId, environment, origin }: HandlerFacts): AcpHandler[] {
  const schema = (name: string) => `${origin}/v1/openapi.json#/components/schemas/${name}`;
  return payingHandlers(allowed).map((id, order) => ({
    id,
    name: `local.agent_payments.${id}`,
    display_name: titles[id],
    version: acpVersion,
    spec: `${origin}/docs`,
    requires_delegate_payment: false,
    requires_pci_compliance: false,
    psp: 'agent_payments',
    config_schema: schema('AcpPaymentHandler'),
    instrument_schemas: [schema('AcpPaymentData')],
    config: { merchant_id: merchantId, environment, credential_type: tokenKinds[id] },
    display_order: order,
  }));
}

type PaymentData = CompleteSession['payment_data'];

/** The payment that the data of a completion mean. 400 for what is not supported, and for what is none. */
export function acpPaymentOf(data: PaymentData, allowed: readonly PaymentHandler[]): CheckoutPayment {
  refuseCredit(data);
  const { handler_id: handler, instrument } = data;
  const refuse = (path: string[], message: string, rule = 'handler'): never => {
    throw new ValidationFailed([{ path: ['payment_data', ...path], message, rule }]);
  };
  const id = payingHandlers(allowed).find((known) => known === handler);
  if (handler === undefined) return refuse(['handler_id'], 'is required', 'required');
  if (instrument === undefined) return refuse(['instrument'], 'is required', 'required');
  if (id === undefined) return refuse(['handler_id'], 'is none of the handlers of the session', 'unsupported');
  const { type, token } = instrument.credential;
  const at = ['instrument', 'credential'];
  if (type !== tokenKinds[id]) return refuse([...at, 'type'], `must be ${tokenKinds[id]}: delegated tokens are not taken`, 'unsupported');
  return paymentByToken(id, token) ?? refuse([...at, 'token'], `is no ${tokenKinds[id]}`);
}

/** Refuses to sell on credit. */
function refuseCredit({
  purchase_order_number: order,
  payment_terms: terms,
  due_date: due,
  approval_required: approval,
}: PaymentData): void {
  const asked: Record<string, boolean> = {
    purchase_order_number: order !== undefined && order !== '',
    payment_terms: terms !== undefined && terms !== 'immediate',
    due_date: due !== undefined,
    approval_required: approval === true,
  };
  const found = Object.keys(asked).filter((name) => asked[name]);
  if (found.length === 0) return;
  throw new ValidationFailed(found.map((name) => ({ path: ['payment_data', name], message: 'is not supported', rule: 'unsupported' })));
}
