// The profiles of HTTP message signatures by which agents sign payments: each is named in the answer.
import { expect, it } from 'vitest';
import { messageIdentity, verify } from '../../factories/bot-identity.js';
import { type Json, useHarness } from '../../harness.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const now = () => harness.clock.now();

it('200: says by which profile it was signed', async () => {
  const agent = await enrol(harness.test);
  const whole = '"@authority" "content-digest" "signature-agent"';
  const own = '"@authority" "content-digest" "signature-agent";key="sig1"';
  const address = '"https://agents.example/keys"';
  const bot = { tag: '"web-bot-auth"' };
  const member = (value: string) => ({ '"signature-agent";key="sig1"': value });
  const cases: [string, Json][] = [
    ['tap', {}],
    ['tap', { covered: whole, agentField: `sig1=${address}` }],
    ['wba-00', { parameters: bot }],
    ['wba-01', { parameters: bot, covered: own, agentField: `sig1=${address}`, lines: member(address) }],
    ['wba-01', { parameters: bot, covered: own, agentField: `sig2="https://b.example", sig1=${address}`, lines: member(address) }],
    ['wba-00', { parameters: bot, covered: own, agentField: `sig1=${address};type=jwks_uri`, lines: member(`${address};type=jwks_uri`) }],
    ['wba-00', { parameters: bot, covered: whole, agentField: `sig1=${address}` }],
    ['wba-legacy', { parameters: bot, covered: whole, agentField: address }],
  ];
  for (const [profile, changes] of cases) {
    const found = await verify(harness.test, agent, messageIdentity(agent, now(), changes));
    expect([changes, found.verified, found.profile]).toEqual([changes, true, profile]);
  }
  const neighbour = { covered: '"@authority" "content-digest" "signature-agent";key="sig2"', agentField: `sig1="x:y", sig2=${address}` };
  const lines = { '"signature-agent";key="sig2"': address };
  const ofNeighbour = messageIdentity(agent, now(), { ...neighbour, lines, parameters: bot });
  expect(await verify(harness.test, agent, ofNeighbour)).toMatchObject({ verified: false, rejection_reason: 'bad_signature' });
});
