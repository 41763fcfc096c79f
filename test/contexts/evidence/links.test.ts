// Links that show the pack of a payment to whoever has them.
import { describe, expect, it } from 'vitest';
import { verifyPack } from '../../../verify/src/verify.js';
import { transferBody, twoWallets } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';

const h = useHarness();

async function paid(extra: object = {}): Promise<Json> {
  const { from, to } = await twoWallets(h.test);
  return h.test.make('/v1/transfers', transferBody(from, to, '4.00', extra));
}
const create = (body: object) => h.test.post('/v1/evidence/links', body);
let callers = 1;
const open = (token: string, from = `198.51.100.${callers++}`) =>
  h.test.post('/v1/evidence/open', { token }, { as: null, headers: { 'X-Forwarded-For': from } });
const tokenOf = ({ url }: Json): string => String(url).split('#')[1] ?? '';

describe('POST /v1/evidence/links', () => {
  it('201: shows its address once, and the pack with its parts to whoever has it', async () => {
    const transfer = await paid();
    const { status, body } = await create({ transfer_id: transfer.id, parts: ['money'] });
    expect([status, body.data]).toEqual([201, expect.objectContaining({ transfer_id: transfer.id, parts: ['money'] })]);
    expect(body.data.url).toMatch(/\/receipt#evl_[\w-]+$/);
    const { data } = (await h.test.get('/v1/evidence/links')).body;
    expect(data.find(({ id }: Json) => id === body.data.id)).not.toHaveProperty('url');
    const pack = await open(tokenOf(body.data));
    expect(pack.status).toBe(200);
    const names = pack.body.leaves.flatMap(({ disclosures }: Json) =>
      disclosures.map((text: string) => JSON.parse(Buffer.from(text, 'base64url').toString())[1]),
    );
    expect(names).toEqual(['money']);
    expect(verifyPack(JSON.stringify(pack.body))).toMatchObject({ outcome: 'own' });
  });

  it('404 for a transfer of nobody, 409 for one that waits, 400 for a part or a lifetime that there is not', async () => {
    expect((await create({ transfer_id: crypto.randomUUID() })).status).toBe(404);
    expect((await create({ transfer_id: (await paid({ capture: 'manual' })).id })).status).toBe(409);
    const { id } = await paid();
    for (const body of [{ parts: ['mony'] }, { parts: [] }, { expires_in: 60 }, { expires_in: 1e9 }])
      expect((await create({ transfer_id: id, ...body })).status, JSON.stringify(body)).toBe(400);
  });

  it('403 for a part that the caller may not see itself', async () => {
    const { key } = await h.test.make('/v1/api-keys', { name: 'Links', scopes: ['evidence:write', 'transfers:read'] });
    const { id } = await paid();
    const refused = await h.test.post('/v1/evidence/links', { transfer_id: id, parts: ['said'] }, { as: key });
    expect([refused.status, refused.body.error]).toEqual([403, expect.stringContaining('audit:read')]);
    expect((await h.test.post('/v1/evidence/links', { transfer_id: id }, { as: key })).status).toBe(201);
  });
});

describe('POST /v1/evidence/open', () => {
  it('404: a token that is cut, of another environment, ended or revoked', async () => {
    const link = await h.test.make('/v1/evidence/links', { transfer_id: (await paid()).id, expires_in: 3_600 });
    const token = tokenOf(link);
    for (const other of [token.slice(0, -1), `${token}x`, 'evl_', 'x', token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))])
      expect((await open(other)).status, other).toBe(404);
    expect((await h.live.post('/v1/evidence/open', { token }, { as: null })).status).toBe(404);
    expect((await open(token)).status).toBe(200);
    const revoked = await h.test.make('/v1/evidence/links', { transfer_id: link.transfer_id });
    expect((await h.test.delete(`/v1/evidence/links/${revoked.id}`)).status).toBe(200);
    expect((await h.test.delete(`/v1/evidence/links/${revoked.id}`)).status).toBe(200);
    expect((await open(tokenOf(revoked))).status).toBe(404);
    h.clock.advance(3_601);
    expect((await open(token)).status).toBe(404);
  });

  it('400 without a token', async () => {
    expect((await h.test.post('/v1/evidence/open', {}, { as: null })).status).toBe(400);
    expect((await h.test.post('/v1/evidence/open', undefined, { as: null, raw: '{' })).status).toBe(400);
  });
});
