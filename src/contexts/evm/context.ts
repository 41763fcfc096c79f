// What chains of the EVM give to the process. Their libraries are loaded where the file of rails names one, and nowhere else.

import { context } from '../../manifest/context.js';
import { railKinds } from '../rails/rail-kind.js';
import { rememberedKinds } from '../rails/restored.js';
import { evmChains } from './configured-chain.js';
import { chainGauges } from './gauge.sql.js';
import { disagreements, reorgs, rpcFailures } from './metric.js';
import { lastNonce, relayerPrefix, skipNonces } from './relayer.sql.js';

export const evm = context({
  extensions: [
    railKinds.with({ evm: async () => (await import('./evm-kind.js')).evmKind }),
    rememberedKinds.with({ prefix: relayerPrefix, numberOf: lastNonce, raise: (tx, { name, number }) => skipNonces(tx, name, number) }),
  ],
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
