// USDC on a chain of the EVM, as a kind of rail of production.
import { depositRails } from '../funding/deposit-rail.js';
import type { ConfiguredRail, RailKind, RailSetting } from '../rails/rail-kind.js';
import type { SecretPlace } from '../rails/secret.js';
import { railDetails } from '../settlement/rail/rail-details.js';
import { chains } from '../x402/chain/chain.js';
import { EvmChain } from './chain.js';
import { chainChecks, readBalances } from './check.js';
import { evmChains } from './configured-chain.js';
import { depositRailOf } from './deposit.js';
import { detailsOn } from './details.sql.js';
import { chainOfSetting, type EvmSetting, evmShape, faultsOf } from './evm-setting.js';
import { checkDestination, stepPayout } from './payout.js';
import { readHoldings } from './proof.js';
import { resumeReading } from './resumption.js';
import { x402Chain } from './x402-chain.js';

export const evmKind: RailKind<EvmSetting> = {
  shape: evmShape,
  currencyOf: (name) => (/^usdc-[a-z0-9-]+$/.test(name) ? 'USDC' : null),
  names: 'its name must be usdc-<chain>, such as usdc-base',
  expectedSeconds: 120,
  conflicts: (rails) => [
    ...rails.flatMap(({ name, own }) => faultsOf(own).map((fault) => ({ name, ...fault }))),
    ...rails.flatMap(({ name, own }, at) => {
      const twin = rails.slice(0, at).find((other) => chainIdOf(other.own) !== null && chainIdOf(other.own) === chainIdOf(own));
      return twin === undefined ? [] : [{ name, member: 'chain', problem: `is that of ${twin.name}: a chain has one rail` }];
    }),
  ],
  open: openRail,
};

function chainIdOf(own: EvmSetting): bigint | null {
  return own.chain === undefined && own.chain_id === undefined ? null : chainOfSetting(own).chainId;
}

async function openRail(setting: RailSetting, own: EvmSetting, place: SecretPlace): Promise<ConfiguredRail> {
  const chain = new EvmChain(setting.name, own, place);
  const ours = await chain.shownAddresses();
  const deposits = depositRailOf(chain);
  const rail: ConfiguredRail = {
    ...setting,
    directions: deposits === null ? ['out'] : ['out', 'in'],
    network: chain.network,
    checks: chainChecks(chain),
    checkDestination: ({ destination }) => checkDestination(chain, ours, destination),
    step: (ctx, order) => stepPayout(ctx, chain, rail, order),
    balances: (platform) => readBalances(platform, chain),
    holdings: (platform) => readHoldings(platform, chain),
    resumeReading: (platform, from) => resumeReading(platform, chain, from),
    extensions: [
      evmChains.with(chain),
      railDetails.with({ [setting.name]: (ctx, kind, ids) => detailsOn(chain.network, ctx, kind, ids) }),
      ...(deposits === null ? [] : [depositRails.with([{ environment: 'live', name: setting.name, provider: deposits }])]),
      // x402 pays to the addresses of wallets.
      ...(deposits === null ? [] : [chains.with([{ environment: 'live', name: chain.network, provider: x402Chain(chain) }])]),
    ],
  };
  return rail;
}
