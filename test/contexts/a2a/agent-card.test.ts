import { request } from 'node:http';
import { type AgentCard, canonicalizeAgentCard, verifyAgentCardSignature } from '@a2a-js/sdk';
import { DefaultAgentCardResolver } from '@a2a-js/sdk/client';
import canonicalize from 'canonicalize';
import { createLocalJWKSet, decodeProtectedHeader, flattenedVerify, type JWSHeaderParameters } from 'jose';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Json, nowhere, useHarness } from '../../harness.js';
import published from '../../vectors/a2a/agent_card_v1_sample.json' with { type: 'json' };
import { enrol, type TestAgent } from '../agents/identity.js';

const harness = useHarness();
let agent: TestAgent;

beforeAll(async () => {
  // The SDK tells there of signatures that it does not accept before it finds one that it does.
  vi.spyOn(console, 'debug').mockReturnValue();
  const price = { amount: '2.5', currency: 'USDC' };
  agent = await enrol(harness.test, {
    name: 'Übersetzer',
    metadata: { secret: 1 },
    skills: [{ id: 'translate', name: 'Translation', description: 'English into German.', tags: ['language'], price }, 'proofread'],
  });
});

const pathOf = (id: string) => `/a2a/agents/${id}/.well-known/agent-card.json`;
const read = (path: string, headers = {}) => fetch(`${harness.test.url}${path}`, { headers });
const cardAt = async (path: string): Promise<Json> => (await read(path)).json();
const keys = async () => createLocalJWKSet((await harness.test.get('/.well-known/jwks.json', { as: null })).body);

/** Every path of members, whatever is in them; places in lists and names of a map are left out. */
function shapeOf(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => shapeOf(one, at));
  if (typeof value !== 'object' || value === null) return [`${at} ${typeof value}`];
  if (/(schemes|Schemes|params)$/.test(at)) return Object.values(value).flatMap((one) => shapeOf(one, `${at}.*`));
  return Object.entries(value).flatMap(([name, one]) => shapeOf(one, `${at}.${name}`));
}

describe('GET /a2a/agents/{agent_id}/.well-known/agent-card.json', () => {
  it('200 without a credential: what the agent does, what it costs and where it takes messages', async () => {
    const response = await read(pathOf(agent.id));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/a2a+json']);
    const { signatures, version, ...card } = await response.json();
    expect(version).toMatch(/^1\.0\.0\+[0-9a-f]{12}$/);
    expect(card).toEqual({
      name: 'Übersetzer',
      description: 'Übersetzer',
      supportedInterfaces: ['1.0', '0.3'].map((protocolVersion) => ({
        url: `${harness.test.url}/a2a/${agent.id}`,
        protocolBinding: 'JSONRPC',
        protocolVersion,
      })),
      documentationUrl: `${harness.test.url}/docs`,
      capabilities: {
        streaming: false,
        pushNotifications: false,
        extendedAgentCard: false,
        extensions: [
          {
            uri: 'urn:agent-payments:a2a:prices:v1',
            description: expect.any(String),
            params: { prices: { translate: { amount: '2.50', currency: 'USDC' } } },
          },
        ],
      },
      securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer', description: expect.any(String) } } },
      securityRequirements: [{ schemes: { bearer: {} } }],
      defaultInputModes: ['application/json', 'text/plain'],
      defaultOutputModes: ['application/json', 'text/plain'],
      skills: [
        { id: 'translate', name: 'Translation', description: 'English into German.', tags: ['language'] },
        { id: 'proofread', name: 'proofread', description: 'proofread', tags: ['proofread'] },
      ],
    });
    expect(signatures).toHaveLength(2);
    // The same agent by its bare id.
    expect((await cardAt(pathOf(agent.uuid))).version).toBe(version);
  });

  it('has the shape of the published sample of A2A 1.0, and is what the SDK reads', async () => {
    const card = await cardAt(pathOf(agent.id));
    const known = new Set(shapeOf(published));
    const own = shapeOf(card).filter((path) => !/\.extensions|securitySchemes|securityRequirements/.test(path));
    expect(own.filter((path) => !known.has(path))).toEqual([]);
    const parsed = await new DefaultAgentCardResolver().resolve(harness.test.url, pathOf(agent.id));
    expect(parsed).toMatchObject({ name: card.name, supportedInterfaces: card.supportedInterfaces, skills: card.skills });
    expect(parsed.securitySchemes['bearer']?.scheme).toMatchObject({ $case: 'httpAuthSecurityScheme', value: { scheme: 'Bearer' } });
  });

  it('is signed by the platform, as the specification and as the SDK read a card; a changed one is not', async () => {
    const { signatures, ...card } = await cardAt(pathOf(agent.id));
    const jwks = await keys();
    const header = decodeProtectedHeader(signatures[0]);
    expect(header).toEqual({ alg: 'ES256', typ: 'JOSE', kid: expect.any(String), jku: `${harness.test.url}/.well-known/jwks.json` });
    const verify = (text: string, signature: Json) =>
      flattenedVerify({ ...signature, payload: Buffer.from(text).toString('base64url') }, jwks);
    await verify(canonicalize(card) as string, signatures[0]);
    await verify(canonicalizeAgentCard(card), signatures[1]);
    await expect(verify(canonicalize({ ...card, name: 'Other' }) as string, signatures[0])).rejects.toThrow();

    const bySdk = verifyAgentCardSignature(async (kid) => jwks({ alg: 'ES256', kid } as JWSHeaderParameters & { alg: string }));
    await bySdk({ ...card, signatures } as AgentCard);
    const moved = [{ ...card.supportedInterfaces[0], url: 'https://evil.example.com' }];
    await expect(bySdk({ ...card, supportedInterfaces: moved, signatures } as AgentCard)).rejects.toThrow('No valid signatures');
  });

  it('names no host on the word of whoever asks', async () => {
    const { host } = new URL(harness.test.url);
    const asked = async (name: string) => {
      return new Promise<Json>((resolve) => {
        request(`${harness.test.url}${pathOf(agent.id)}`, { headers: { host: name } }, (answer) => {
          answer.setEncoding('utf8').on('data', (text: string) => resolve(JSON.parse(text)));
        }).end();
      });
    };
    const { signatures: _, ...card } = await asked(host);
    const { signatures, ...other } = await asked('evil.example.com');
    expect(other).toEqual(card);
    expect(signatures).toHaveLength(2);
  });

  it('304 for a reader that has it; another tag once a skill has changed', async () => {
    const first = await read(pathOf(agent.id));
    const tag = first.headers.get('etag') ?? '';
    expect(first.headers.get('cache-control')).toBe('public, max-age=300');
    const again = await read(pathOf(agent.id), { 'If-None-Match': `"other", ${tag}` });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag]);
    await harness.test.patch(`/v1/agents/${agent.id}/skills/proofread`, { description: 'Finds mistakes.' });
    expect((await read(pathOf(agent.id), { 'If-None-Match': tag })).status).toBe(200);
  });

  it('404: missing, of the other environment, frozen, suspended, revoked', async () => {
    const live = await enrol(harness.live);
    const gone = await enrol(harness.test);
    const missing = await harness.test.get(pathOf(nowhere), { as: null });
    expect([missing.status, missing.body.code]).toEqual([404, 'not_found']);
    for (const id of [live.id, 'agt_none', 'x']) expect((await read(pathOf(id))).status, id).toBe(404);
    for (const step of ['freeze', 'suspend', 'revoke']) {
      await harness.test.post(`/v1/agents/${gone.id}/${step}`, {});
      expect((await read(pathOf(gone.id))).status, step).toBe(404);
    }
  });
});

describe('GET /.well-known/agent-card.json', () => {
  it('200: the directory of agents, signed', async () => {
    const card = await cardAt('/.well-known/agent-card.json');
    const [directory] = card.capabilities.extensions;
    expect(directory.params.agent_card_template).toBe(`${harness.test.url}/a2a/agents/{agent_id}/.well-known/agent-card.json`);
    expect((await cardAt(new URL(directory.params.agent_card_template.replace('{agent_id}', agent.id)).pathname)).name).toBe('Übersetzer');
    const jwks = await keys();
    const bySdk = verifyAgentCardSignature(async (kid) => jwks({ alg: 'ES256', kid } as JWSHeaderParameters & { alg: string }));
    await bySdk(card);
    expect((await new DefaultAgentCardResolver().resolve(harness.test.url)).skills.map(({ id }) => id)).toEqual([
      'find-agents',
      'give-tasks',
    ]);
  });
});
