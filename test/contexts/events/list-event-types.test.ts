import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { catalog } from '../../catalog.js';
import { type Json, useHarness } from '../../harness.js';

const harness = useHarness();

describe('GET /v1/webhooks/events', () => {
  it('200: every type with a JSON Schema that its example fits', async () => {
    const { status, body } = await harness.test.get('/v1/webhooks/events');
    expect(status).toBe(200);
    expect(body.data.map(({ type }: { type: string }) => type)).toEqual(catalog.types().map(({ type }) => type));
    expect(body.data.find(({ type }: { type: string }) => type === 'transfer.completed')).toMatchObject({
      type: 'transfer.completed',
      family: 'transfer',
      description: 'transfer settled',
      emitted: true,
    });
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    for (const { type, schema, example } of body.data) {
      const validate = ajv.compile(schema);
      expect(validate(example), `${type}: ${ajv.errorsText(validate.errors)}`).toBe(true);
      expect(validate({}), type).toBe(false);
      const untold = Object.entries<Json>(schema.properties).filter(([, member]) => !/\.$/.test(member.description));
      expect(untold, type).toEqual([]);
    }
  });

  it('401 without a credential', async () => {
    expect((await harness.test.get('/v1/webhooks/events', { as: null })).status).toBe(401);
  });
});
