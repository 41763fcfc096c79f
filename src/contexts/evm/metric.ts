// What is counted of chains.
import { Counter } from 'prom-client';

/** Questions to nodes that failed, by the rail and how. */
export const rpcFailures = new Counter({
  name: 'rpc_failures_total',
  help: 'Questions to the nodes of a chain that gave no answer, by rail and kind of failure.',
  labelNames: ['rail', 'kind'],
  registers: [],
});

/** Questions that the nodes answered in different ways, by the rail: nothing is decided by them. */
export const disagreements = new Counter({
  name: 'rpc_disagreements_total',
  help: 'Questions to the nodes of a chain about which they contradict each other, by rail.',
  labelNames: ['rail'],
  registers: [],
});

/** Blocks that were taken back, by the rail. */
export const reorgs = new Counter({
  name: 'chain_reorgs_total',
  help: 'Blocks that were read and are in the chain no more, by rail.',
  labelNames: ['rail'],
  registers: [],
});
