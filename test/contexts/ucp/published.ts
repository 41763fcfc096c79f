// The published schemas of UCP 2026-04-08, and what its specification says beside them: every answer of the tests is held to both.
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import type { Answer, Json } from '../../harness.js';

const root = new URL('../../vectors/ucp/', import.meta.url);
const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json'))) {
  const schema = JSON.parse(readFileSync(new URL(name, root), 'utf8'));
  // The schema of profiles refers to the others from where its file stands, which is not where its $id says.
  ajv.addSchema(name.startsWith('discovery') ? { ...schema, $id: 'https://ucp.dev/discovery/profile.json' } : schema);
}

const shopping = 'https://ucp.dev/schemas/shopping';
const validator = ($ref: string) => ajv.compile({ $ref });
const extended = 'dev.ucp.shopping.checkout';
const checkout = ['checkout.json', `fulfillment.json#/$defs/${extended}`, `ap2_mandate.json#/$defs/${extended}`].map((name) =>
  validator(`${shopping}/${name}`),
);
const errorResponse = validator(`${shopping}/types/error_response.json`);
const profile = 'https://ucp.dev/discovery/profile.json#/$defs';
const profiles = { platform: validator(`${profile}/platform_profile`), business: validator(`${profile}/business_profile`) };

function hold(validate: ReturnType<typeof validator>, body: Json): void {
  expect(validate(body) || ajv.errorsText(validate.errors), JSON.stringify(body, null, 2)).toBe(true);
}

/** Holds an answer of the wire to the schema that it claims to follow. */
export function checkPublished({ status, body }: Answer): void {
  if (body?.ucp === undefined) {
    // A failure of the request as such has no schema, but two members.
    expect(body, JSON.stringify(body)).toMatchObject({ code: expect.any(String), content: expect.any(String) });
    expect(status).toBeGreaterThanOrEqual(400);
    return;
  }
  expect([200, 201]).toContain(status);
  if (body.ucp.status === 'error') {
    hold(errorResponse, body);
    return;
  }
  for (const validate of checkout) hold(validate, body);
  checkTotals(body);
  expect(body.order !== undefined, 'an order is there when the checkout is completed').toBe(body.status === 'completed');
  if (body.status === 'requires_escalation') expect(body.continue_url).toEqual(expect.any(String));
  expect(JSON.stringify(body)).not.toContain('"token"');
}

const sum = (amounts: number[]) => amounts.reduce((all, amount) => all + amount, 0);
const amountOf = (totals: Json, type: string) => sum(totals.filter((entry: Json) => entry.type === type).map(({ amount }: Json) => amount));

/** What a platform shows adds up: entries to the total, lines to the subtotal, parts to their entry. */
function checkTotals({ totals, line_items: lines }: Json): void {
  const others = totals.filter(({ type }: Json) => type !== 'total').map(({ amount }: Json) => amount);
  expect(sum(others)).toBe(amountOf(totals, 'total'));
  expect(sum(lines.map((line: Json) => amountOf(line.totals, 'subtotal')))).toBe(amountOf(totals, 'subtotal'));
  for (const { item, quantity, totals: own } of lines) expect(amountOf(own, 'subtotal')).toBe(item.price * quantity);
  for (const { lines: parts, amount } of totals) if (parts !== undefined) expect(sum(parts.map((part: Json) => part.amount))).toBe(amount);
}

/** Holds a profile to its schema. */
export function checkProfile(kind: keyof typeof profiles, body: Json): void {
  hold(profiles[kind], body);
}
