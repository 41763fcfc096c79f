// Inputs as they are printed: what a refusal suggests to send again is what was sent, with every member that the schema has.
import { coerceInputValue, type GraphQLInputType, getNullableType, isInputObjectType, isListType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { inputPrinter } from '../src/platform/schema/print-input.js';
import { snakeCase } from '../src/platform/snake-case.js';
import { exampleOfLeaf } from '../src/rest/example.js';
import { inputReader } from '../src/rest/input.js';
import { Issues } from '../src/rest/issue.js';
import { schema } from '../src/schema.js';

const printInput = inputPrinter(schema);
const inputs = Object.values(schema.getTypeMap()).filter(isInputObjectType);

/** A value as the wire has it, with every member. */
function sampleOf(type: GraphQLInputType, name: string): unknown {
  const inner = getNullableType(type);
  if (isListType(inner)) return [sampleOf(inner.ofType, name)];
  if (!isInputObjectType(inner)) return exampleOfLeaf(inner, name);
  const members = Object.values(inner.getFields()).map((field) => {
    const wire = snakeCase(field.name);
    return [wire, sampleOf(field.type, wire)];
  });
  return Object.fromEntries(members);
}

describe('printInput', () => {
  it.each(inputs.map((type) => [type.name, type] as const))('%s is printed as it was read', (name, type) => {
    const sample = sampleOf(type, name);
    const read = coerceInputValue(inputReader(type)(sample, new Issues()), type) as object;
    expect(printInput(name, read)).toEqual(sample);
  });

  it('leaves out what is absent or null, and what is no member', () => {
    const input = {
      type: 'internal',
      amount: '1.00',
      currency: null,
      fromWalletId: undefined,
      surplus: true,
      metadata: { keptAsItIs: null },
    };
    expect(printInput('CreateTransferInput', input)).toEqual({ type: 'internal', amount: '1.00', metadata: { keptAsItIs: null } });
  });

  it('throws for what is no input', () => expect(() => printInput('Transfer', {})).toThrow('Transfer is no input of the schema'));
});
