// The rails of the sandbox: each with the latency, the fee and the troubles of its kind (CONTRACT.md 12), in workspace time. Money goes
// nowhere.
import type { Connection } from '../../../platform/connection.js';
import { cardRails } from '../../transfers/rail.js';
import type { Rail } from './rail.js';
import { book, lookUpOrder, type RailFigures } from './rail-book.js';
import { treatmentOfCard } from './test-card.js';

type Figures = RailFigures & Pick<Rail, 'fee' | 'share'>;

const chain = { latencySeconds: 15, fee: 10_000n, codes: ['reverted'] } as const;
const card = { latencySeconds: 2, fee: 0n, share: 290n, codes: ['card_declined'], treatmentOf: treatmentOfCard } as const;

const figures: readonly Figures[] = [
  { name: 'ach', latencySeconds: 86_400, fee: 25n, codes: ['R01', 'R02', 'R03'] },
  { name: 'wire', latencySeconds: 3_600, fee: 1_500n, codes: ['AC01'] },
  { name: 'sepa', latencySeconds: 14_400, fee: 20n, codes: ['AC04'] },
  { name: 'pix', latencySeconds: 10, fee: 0n, codes: ['AB09'] },
  { name: 'spei', latencySeconds: 30, fee: 300n, codes: ['14'] },
  { name: 'usdc-base', ...chain },
  { name: 'usdc-polygon', ...chain },
  { name: 'usdc-solana', ...chain },
  { name: 'card-simulated-us', ...card },
  { name: 'card-simulated-eu', ...card },
  ...cardRails('simulated').map(({ rail }) => ({ name: rail, ...card })),
];

/** The simulated rails, which every sandbox has. */
export const simulatedRails: readonly Connection<Rail>[] = figures.map((each) => ({
  environment: 'test',
  name: each.name,
  provider: {
    ...each,
    submit: (ctx, order) => book(ctx, each, order),
    status: (ctx, reference) => lookUpOrder(ctx, each.name, reference),
  },
}));

/** What goes wrong on a simulated rail, when nobody says. */
export function usualCode(rail: string): string {
  return figures.find(({ name }) => name === rail)?.codes[0] ?? 'R01';
}
