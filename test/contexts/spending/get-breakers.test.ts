// GET /v1/breakers
import { describe, expect, it } from 'vitest';
import { useHarness } from '../../harness.js';

const harness = useHarness();

describe('GET /v1/breakers', () => {
  it('200: none by default; a JWT session may read them', async () => {
    const session = await harness.test.make('/v1/auth/session', { api_key: harness.test.key }, { as: null });
    for (const as of [harness.test.key, session.token])
      expect((await harness.test.get('/v1/breakers', { as })).body).toEqual({ data: { detectors: [] } });
  });
});
