// What kinds of things become final, as operations and reports of them tell them apart (CONTRACT.md 17).

export const operationCategories = [
  'transfer',
  'mandate_execution',
  'checkout',
  'stream_action',
  'payout',
  'refund',
  'task_payment',
  'x402_payment',
  'mpp_payment',
  'card_instruction',
] as const;
export type OperationCategory = (typeof operationCategories)[number];
