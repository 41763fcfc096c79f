// The codes that are the accounts' own (CONTRACT.md 0 "Errors").
import { declareError } from '../../platform/errors.js';

/** 403: the wallet takes no debit. A frozen one is thawed by an API key; a closed one never spends again. */
export class WalletFrozen extends declareError(403, 'wallet_frozen') {
  constructor(walletId: string, status: 'frozen' | 'closed' = 'frozen') {
    super(
      status === 'frozen'
        ? `The wallet ${walletId} is frozen: it can receive money but not spend it.`
        : `The wallet ${walletId} is closed.`,
      {
        details: {
          wallet_id: walletId,
          ...(status === 'frozen'
            ? { next_actions: [{ rel: 'unfreeze', actor: 'api_key', method: 'POST', path: `/v1/wallets/${walletId}/unfreeze` }] }
            : { terminal: true }),
        },
      },
    );
  }
}
