// Whatever stands in a path, a query or a header: a value of the right type, a 404 for the path, or a 400 that lists it all.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NotFound, ValidationFailed } from '../../src/platform/errors.js';
import { compileRoutes } from '../../src/rest/routes.js';
import { variableReader } from '../../src/rest/variable.js';
import { schema, shop } from './shop.js';

const routes = compileRoutes(schema, [shop]);
const readerOf = (operation: string) => variableReader(routes.find(({ name }) => name === operation)?.variables ?? [], ['dry_run']);
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('true', '1', '-1', '1e9', '', 'open', '2026-01-01', '\ud800'),
);

it('a query is read or refused with a 400, never otherwise', () => {
  const read = readerOf('listOrders');
  const name = fc.oneof(
    fc.constantFrom('page', 'limit', 'status', 'since', 'with_gifts', 'sku', 'timeRange', 'dry_run', '__proto__'),
    text,
  );
  const query = fc.dictionary(name, fc.oneof(text, fc.array(text, { minLength: 2, maxLength: 3 })), { maxKeys: 4 });
  fc.assert(
    fc.property(query, text, (given, header) => {
      try {
        const values = read({ params: {}, query: given, header: () => header, body: {} });
        for (const [key, value] of Object.entries(values)) {
          if (key === 'page' || key === 'limit') expect(value).toBeTypeOf('number');
          if (key === 'with_gifts') expect(value).toBeTypeOf('boolean');
        }
      } catch (error) {
        expect(error).toBeInstanceOf(ValidationFailed);
      }
    }),
    { numRuns: 1000 },
  );
});

it('a path is read or is a 404', () => {
  const read = readerOf('readOrder');
  fc.assert(
    fc.property(text, (id) => {
      expect(() => read({ params: { id }, query: {}, header: () => '', body: {} })).toThrow(NotFound);
    }),
  );
});
