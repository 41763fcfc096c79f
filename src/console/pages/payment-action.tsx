// What may be done with a payment now: captured, cancelled, refunded, disputed, each after a confirmation. The server has the last word,
// and its refusal is shown.
import { useState } from 'preact/hooks';
import type { Variables } from '../answers.js';
import { ask } from '../api.js';
import { Dialog, type DialogField, type Given } from '../dialog.js';
import { money } from '../format.js';
import { useMay } from '../me.js';
import { say } from '../notice.js';
import type { PaymentAnswer } from '../payment.js';

const refundReasons = [
  'customer_request',
  'duplicate_payment',
  'service_not_rendered',
  'amount_incorrect',
  'unauthorized',
  'order_cancelled',
  'other',
];
const disputeReasons = ['service_not_received', 'duplicate_charge', 'unauthorized', 'amount_incorrect', 'quality_issue', 'other'];
const refundable: readonly string[] = ['internal', 'cross_border', 'stream_withdraw'];

interface Action {
  name: string;
  /** What it asks of whoever is signed in. */
  scope: string;
  isDangerous?: true;
  text: string;
  fields: readonly DialogField[];
  remark?: string;
  done: string;
  carryOut: (given: Given) => Promise<unknown>;
}

const amountField = (label: string, initial: string): DialogField => ({ name: 'amount', label, initial, maxLength: 40 });

function holdActions({ transfer }: PaymentAnswer): Action[] {
  const { id, status, hold, subject, currency } = transfer;
  if (status !== 'pending' || subject !== null) return [];
  const cancel: Action = {
    name: 'Cancel',
    scope: 'transfers:write',
    isDangerous: true,
    text: 'The payment ends. What was held for it goes back to the payer.',
    fields: [],
    remark: 'Reason (optional)',
    done: 'The payment is cancelled.',
    carryOut: ({ remark, idempotencyKey }) =>
      ask('Cancel', { id, input: remark === undefined ? {} : { reason: remark } }, { idempotencyKey }),
  };
  if (hold === null || transfer.approvalId !== null) return [cancel];
  const capture: Action = {
    name: 'Capture',
    scope: 'transfers:write',
    text: `At most ${money(hold.amount, currency)} is held. What is not captured goes back to the payer.`,
    fields: [amountField(`Amount in ${currency}`, hold.amount)],
    done: 'The payment is captured.',
    carryOut: ({ values, idempotencyKey }) => ask('Capture', { id, input: { amount: values['amount'] ?? null } }, { idempotencyKey }),
  };
  return [capture, cancel];
}

/** What is left of an amount, exactly. */
function restOf(whole: string, part: string): string {
  const decimals = whole.split('.')[1]?.length ?? 0;
  const minor = (text: string) => BigInt(text.replace('.', '').padEnd(1, '0'));
  const rest = String(minor(whole) - minor(part)).padStart(decimals + 1, '0');
  return decimals === 0 ? rest : `${rest.slice(0, -decimals)}.${rest.slice(-decimals)}`;
}

function paidActions({ transfer, disputes }: PaymentAnswer): Action[] {
  const { id, status, type, subject, currency, toWalletId, fromWalletId, hold } = transfer;
  const isCard = subject?.type === 'card_charge';
  if (status !== 'completed' || !refundable.includes(type) || subject?.type === 'refund') return [];
  if (toWalletId === null || (fromWalletId === null && !isCard)) return [];
  const left = restOf(hold === null ? transfer.amount : hold.capturedAmount, transfer.refundedAmount);
  if (Number(left) <= 0) return [];
  const refund: Action = {
    name: 'Refund',
    scope: 'refunds:write',
    isDangerous: true,
    text: `At most ${money(left, currency)} can be sent back. It is taken from the wallet that was paid.`,
    fields: [amountField(`Amount in ${currency}`, left), { name: 'reason', label: 'Reason', values: refundReasons }],
    remark: 'Details (optional)',
    done: 'The refund is on its way.',
    carryOut: ({ values, remark, idempotencyKey }) => {
      const input = { originalTransferId: id, amount: values['amount'] ?? null, reason: values['reason'], reasonDetails: remark ?? null };
      return ask('Refund', { input } as Variables['Refund'], { idempotencyKey });
    },
  };
  const isDisputed = disputes.nodes.some(({ status: dispute }) => dispute !== 'resolved');
  if (isDisputed || isCard) return [refund];
  const dispute: Action = {
    name: 'Dispute',
    scope: 'refunds:write',
    text: 'The payee is asked to answer. Nothing moves until the dispute is resolved.',
    fields: [
      { name: 'reason', label: 'Reason', values: disputeReasons },
      { name: 'description', label: 'What is wrong', maxLength: 1_000 },
      amountField(`Amount in ${currency}`, left),
    ],
    done: 'The dispute is open.',
    carryOut: ({ values, idempotencyKey }) => {
      const input = {
        transferId: id,
        reason: values['reason'],
        description: values['description'],
        amountDisputed: values['amount'] ?? null,
      };
      return ask('Dispute', { input } as Variables['Dispute'], { idempotencyKey });
    },
  };
  return [refund, dispute];
}

/** The buttons, and the dialog of the one that was pressed. */
export function Actions({ answer }: { answer: PaymentAnswer }) {
  const [asked, setAsked] = useState<Action>();
  const { amount, currency } = answer.transfer;
  const may = useMay();
  const actions = [...holdActions(answer), ...paidActions(answer)].filter(({ scope }) => may(scope));
  if (actions.length === 0 && asked === undefined) return null;
  return (
    <div class="buttons">
      {actions.map((action) => (
        <button key={action.name} type="button" class={action.isDangerous ? 'danger' : undefined} onClick={() => setAsked(action)}>
          {action.name}
        </button>
      ))}
      {asked !== undefined && (
        <Dialog
          title={`${asked.name} the payment of ${money(amount, currency)}?`}
          action={`${asked.name} the payment`}
          isDangerous={asked.isDangerous === true}
          fields={asked.fields}
          {...(asked.remark !== undefined && { remark: asked.remark })}
          onConfirm={async (given) => {
            await asked.carryOut(given);
            say(asked.done);
          }}
          onClose={() => setAsked(undefined)}
        >
          <p>{asked.text}</p>
        </Dialog>
      )}
    </div>
  );
}
