// The figures of a dashboard in one request: what the agents of a workspace did in the last 30 days, over GraphQL. It fills the sandbox
// with a marketplace first, so that there is something to see. Start the platform (npm start), then:
//   node examples/dashboard.mjs --key pk_test_...
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from '@agent-payments/sdk';
import { begin } from './example.mjs';

const { url, key, step } = begin(import.meta.url);
const company = createClient({ baseUrl: url, credential: key });
const query = `{
  insight {
    summary { totalOperations successRate }
    stats { data { protocol totalVolumeUsd transactionCount successRate } }
    demand { data { sessionsOpened sessionsCompleted completionRate } }
  }
}`;

/** The figures now. Reports follow what happens within a moment. */
async function insight() {
  const answer = await company.fetch(`/graphql?${new URLSearchParams({ query })}`);
  const { data, errors } = /** @type {any} */ (await answer.json());
  if (errors !== undefined) throw new Error(errors[0].message);
  return data.insight;
}

step('Sellers, and agents that buy from them');
const { data: world } = await company.POST('/v1/test/seed', { body: { scenario: 'marketplace' } });
console.log(`   ${world.agents.length} agents, ${world.merchants.length} merchants`);

step('What they did');
let figures = await insight();
while (figures.demand.data.sessionsCompleted < 4) {
  await pause(100);
  figures = await insight();
}
const percent = (/** @type {number} */ share) => `${Math.round(share * 100)} %`;
console.log(`   ${figures.summary.totalOperations} operations, ${percent(figures.summary.successRate)} of them successful`);
for (const { protocol, totalVolumeUsd, transactionCount, successRate } of figures.stats.data)
  if (transactionCount > 0)
    console.log(`   ${protocol.padEnd(10)} ${totalVolumeUsd.padStart(10)} USD  ${transactionCount} payments  ${percent(successRate)}`);

step('Where their checkouts ended');
const { sessionsOpened, sessionsCompleted, completionRate } = figures.demand.data;
console.log(`   ${sessionsCompleted} of ${sessionsOpened} were paid: ${percent(completionRate)}`);
