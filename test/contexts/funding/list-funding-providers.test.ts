// GET /v1/funding/providers
import { describe, expect, it } from 'vitest';
import { ways } from '../../factories/funding.js';
import { type Client, type Json, useHarness } from '../../harness.js';
import { expectInvalid } from '../../refusal.js';
import { enrol } from '../agents/identity.js';

const harness = useHarness();
const path = '/v1/funding/providers';
const listed = async (query = '', client: Client = harness.test): Promise<Json[]> => (await client.get(`${path}${query}`)).body.data;
const names = async (query: string) => (await listed(query)).map(({ provider }) => provider);

describe('GET /v1/funding/providers', () => {
  describe('200', () => {
    it('every provider, with its types and regions; all are active in the sandbox', async () => {
      const all = await listed();
      expect(all).toContainEqual({ provider: 'simulated-us', types: ['card', 'bank_transfer'], regions: ['US'], active: true });
      expect(all).toContainEqual({ provider: 'sandbox', types: ['sandbox'], regions: ['GLOBAL'], active: true });
      for (const { provider, type } of Object.values(ways))
        expect(all.find((one) => one.provider === provider)?.types, provider).toContain(type);
    });

    it('by type and region; those of GLOBAL serve every region', async () => {
      expect(await names('?type=card')).toEqual(['simulated-us', 'simulated-eu']);
      expect(await names('?type=bank_transfer&region=US')).toEqual(['simulated-us', 'simulated-wire']);
      expect(await names('?type=stablecoin&region=JP')).toEqual(['simulated-base', 'simulated-polygon', 'simulated-solana']);
      expect(await names('?type=card&region=BR')).toEqual([]);
    });

    it('for an agent too, and through GraphQL', async () => {
      const { token } = await enrol(harness.test);
      expect((await harness.test.get(path, { as: token })).status).toBe(200);
      const { body } = await harness.test.graphql('{ fundingProviders(type: sandbox) { provider types active } }', {});
      expect(body.data.fundingProviders).toEqual([{ provider: 'sandbox', types: ['sandbox'], active: true }]);
    });

    it('in production none is active: no rail is connected', async () => {
      expect(new Set((await listed('', harness.live)).map(({ active }) => active))).toEqual(new Set([false]));
    });
  });

  it('400: for a type or a region that is none', async () => {
    expectInvalid(await harness.test.get(`${path}?type=cash`), 'type');
    expectInvalid(await harness.test.get(`${path}?region=usa`), 'region');
  });
});
