// What kinds of things become final, as operations and reports of them tell them apart (CONTRACT.md 17): a line for each.

interface Category {
  /** What people call it. */
  title: string;
  /** An agent or a wallet has spent. What goes into escrow is counted when it is paid out. */
  isSpend?: true;
  // Gap G-436: Owners are accounts: moves between wallets of one account are no volume; fundings are a category of their own.
  /** Money comes in from outside, and moves between no two owners: it counts in no volume and no success rate. */
  isFunding?: true;
  /** It stays what it is when a mandate pays it; others count as executions of the mandate. */
  keepsByMandate?: true;
}

const categories = {
  transfer: { title: 'Transfer', isSpend: true },
  funding: { title: 'Funding', isFunding: true },
  mandate_execution: { title: 'Payment by mandate', isSpend: true },
  checkout: { title: 'Checkout', isSpend: true, keepsByMandate: true },
  stream_action: { title: 'Stream' },
  payout: { title: 'Payout', isSpend: true },
  refund: { title: 'Refund', keepsByMandate: true },
  task_payment: { title: 'Payment of a task', isSpend: true, keepsByMandate: true },
  x402_payment: { title: 'Payment by x402', isSpend: true },
  mpp_payment: { title: 'Payment by MPP', isSpend: true },
  card_instruction: { title: 'Card instruction' },
} as const satisfies Readonly<Record<string, Category>>;

export type OperationCategory = keyof typeof categories;

export const operationCategories = Object.keys(categories) as OperationCategory[];

/** What is known of a category. */
export function aboutCategory(category: OperationCategory): Category {
  return categories[category];
}

/** Those that count in success rates and volumes. */
export const countedCategories = operationCategories.filter((category) => !aboutCategory(category).isFunding);

/** Those that are spends. */
export const spendCategories = operationCategories.filter((category) => aboutCategory(category).isSpend);
