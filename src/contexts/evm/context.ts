// What chains of the EVM give to the process. Their libraries are loaded where the file of rails names one, and nowhere else.

import { moneyOnItsWay } from '../../ledger/account.js';
import { context } from '../../manifest/context.js';
import { rowStep } from '../../platform/due/step.js';
import { railKinds } from '../rails/rail-kind.js';
import { rememberedKinds } from '../rails/restored.js';
import { stepArrival } from './arrival.js';
import { evmChains } from './configured-chain.js';
import { expectedOf } from './expected.sql.js';
import { chainGauges } from './gauge.sql.js';
import { disagreements, reorgs, rpcFailures } from './metric.js';
import { lastNonce, relayerPrefix, skipNonces } from './relayer.sql.js';

const nothing: ReadonlyMap<string, bigint> = new Map();

export const evm = context({
  extensions: [
    railKinds.with({ evm: async () => (await import('./evm-kind.js')).evmKind }),
    rememberedKinds.with({ prefix: relayerPrefix, numberOf: lastNonce, raise: (tx, { name, number }) => skipNonces(tx, name, number) }),
    // Without a chain of production nobody asks.
    moneyOnItsWay.with(async (ctx, walletIds, at) => {
      const isAsked = ctx.workspace.environment === 'live' && ctx.platform.extensions.of(evmChains).length > 0;
      return isAsked ? expectedOf(ctx, walletIds, at) : nothing;
    }),
  ],
  due: [rowStep({ table: 'chain_arrival', isBookkeeping: true, concurrency: 16, run: stepArrival })],
  realTime: [
    {
      name: 'evm',
      run: async (platform) => {
        const chains = platform.extensions.of(evmChains);
        return chains.length === 0 ? null : (await import('./work.js')).tendChains(platform, chains);
      },
    },
  ],
  metrics: [rpcFailures, disagreements, reorgs],
  gauges: [chainGauges],
});
