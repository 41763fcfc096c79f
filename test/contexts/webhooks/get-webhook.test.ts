import { describe, expect, it } from 'vitest';
import { nowhere, useHarness } from '../../harness.js';

const harness = useHarness();
const url = 'https://example.com/hook';

describe('GET /v1/webhooks/{id}', () => {
  it('200 without the secret', async () => {
    const { secret, ...made } = await harness.test.make('/v1/webhooks', { url, events: ['*'] });
    const { status, body } = await harness.test.get(`/v1/webhooks/${made.id}`);
    expect([status, body.data, secret !== undefined]).toEqual([200, made, true]);
  });

  it("404 for one that is not there, another tenant's, or deleted", async () => {
    const theirs = await harness.other.make('/v1/webhooks', { url, events: ['*'] });
    const gone = await harness.test.make('/v1/webhooks', { url, events: ['*'] });
    await harness.test.delete(`/v1/webhooks/${gone.id}`);
    for (const id of [nowhere, theirs.id, gone.id, 'evt_x']) expect((await harness.test.get(`/v1/webhooks/${id}`)).status).toBe(404);
  });
});

describe('GET /v1/webhooks', () => {
  it('200 newest first, by status', async () => {
    const first = await harness.test.make('/v1/webhooks', { url, events: ['*'] });
    harness.clock.advance(1);
    const second = await harness.test.make('/v1/webhooks', { url, events: ['account.*'] });
    await harness.test.patch(`/v1/webhooks/${first.id}`, { status: 'paused' });
    const all = await harness.test.get('/v1/webhooks?limit=2');
    expect(all.body.data.map(({ id }: { id: string }) => id)).toEqual([second.id, first.id]);
    expect(JSON.stringify(all.body)).not.toContain('whsec_');
    const paused = await harness.test.get('/v1/webhooks?status=paused');
    expect(paused.body.data.map(({ id }: { id: string }) => id)).toEqual([first.id]);
  });

  it('401 without a credential', async () => {
    expect((await harness.test.get('/v1/webhooks', { as: null })).status).toBe(401);
  });
});

describe('DELETE /v1/webhooks/{id}', () => {
  it('200, and 404 from then on', async () => {
    const { id } = await harness.test.make('/v1/webhooks', { url, events: ['*'] });
    expect((await harness.test.delete(`/v1/webhooks/${id}`)).body).toEqual({ data: { id, deleted: true } });
    expect((await harness.test.delete(`/v1/webhooks/${id}`)).status).toBe(404);
    expect((await harness.test.patch(`/v1/webhooks/${id}`, { status: 'paused' })).status).toBe(404);
    expect((await harness.test.post(`/v1/webhooks/${id}/rotate-secret`)).status).toBe(404);
  });

  it("404 for another tenant's", async () => {
    const theirs = await harness.other.make('/v1/webhooks', { url, events: ['*'] });
    expect((await harness.test.delete(`/v1/webhooks/${theirs.id}`)).status).toBe(404);
    expect((await harness.other.get(`/v1/webhooks/${theirs.id}`)).status).toBe(200);
  });
});

describe('PATCH /v1/webhooks/{id}', () => {
  it('200 with what was changed', async () => {
    const { id } = await harness.test.make('/v1/webhooks', { url, events: ['*'] });
    const change = { url: 'https://example.org/other', events: ['account.*'], description: 'New', status: 'paused' };
    const { status, body } = await harness.test.patch(`/v1/webhooks/${id}`, change);
    expect([status, body.data]).toMatchObject([200, change]);
    expect((await harness.test.patch(`/v1/webhooks/${id}`, { status: 'active' })).body.data.status).toBe('active');
  });

  it('400 for disabled, which is not for its owner to say, and for unknown events', async () => {
    const { id } = await harness.test.make('/v1/webhooks', { url, events: ['*'] });
    for (const body of [{ status: 'disabled' }, { events: ['x.y'] }, { events: [] }])
      expect((await harness.test.patch(`/v1/webhooks/${id}`, body)).status).toBe(400);
  });

  it('404 for one that is not there', async () => {
    expect((await harness.test.patch(`/v1/webhooks/${nowhere}`, { status: 'paused' })).status).toBe(404);
  });

  it('422 for a URL that nothing is sent to', async () => {
    const { id } = await harness.test.make('/v1/webhooks', { url, events: ['*'] });
    const { status, body } = await harness.test.patch(`/v1/webhooks/${id}`, { url: 'https://10.0.0.1/' });
    expect([status, body.code]).toEqual([422, 'invalid_webhook_url']);
  });
});
