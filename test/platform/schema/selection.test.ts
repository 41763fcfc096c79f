// What fields ask of the row that they belong to. A row of a list that lacks it is loaded again, one query per row.
import { isObjectType } from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../../../src/schema.js';

const columnsOnly = (select: unknown) =>
  typeof select === 'object' && select !== null && Object.values(select).every((member) => member === true);

it('no field asks for columns again where its type loads all of them', () => {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  const whole = types.filter(({ extensions }) => {
    const selection = extensions['pothosPrismaTypeSelection'] as { select?: object } | undefined;
    return selection !== undefined && selection.select === undefined;
  });
  expect(whole.length).toBeGreaterThan(20);
  const again = whole.flatMap((type) =>
    Object.values(type.getFields())
      .filter(({ extensions }) => columnsOnly(extensions['pothosPrismaSelect']))
      .map(({ name }) => `${type.name}.${name}`),
  );
  expect(again).toEqual([]);
});
