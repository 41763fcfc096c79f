// The transfers in the timeline of an agent: those that it sees.
import type { Stretch, TimelineSource } from '../../manifest/timeline.js';
import { formatMinor } from '../../platform/money.js';
import { countTransfers, type TransferChoice, transferIds } from './transfer-list.sql.js';

const choiceOf = ({ agentId, from, below }: Stretch): TransferChoice => ({ visibleTo: agentId, equal: {}, from, below });

export const transferTimeline: TimelineSource = {
  kind: 'transfer',
  ids: (ctx, stretch, window) => transferIds(ctx, choiceOf(stretch), window),
  count: (ctx, stretch, most) => countTransfers(ctx, choiceOf(stretch), most),
  async load({ db }, ids) {
    const rows = await db.transfer.findMany({ where: { id: { in: [...ids] } } });
    return rows.map(({ id, createdAt: at, type, status, protocol, amount, currency, fromWalletId, toWalletId, description }) => {
      const moved = formatMinor(amount, currency);
      const wallets = { from_wallet_id: fromWalletId, to_wallet_id: toWalletId };
      const data = { type, status, protocol, amount: moved, currency, ...wallets, description };
      return { id, at, printedId: id, summary: `${type} of ${moved} ${currency}: ${status}`, data };
    });
  },
};
