// Bounds are declared once, as the zod schema of an input field. The GraphQL face meets them through Pothos, the REST face
// in its walk; both report the same issues.
import type { StandardSchemaV1 } from '@pothos/plugin-validation';
import type { GraphQLInputField } from 'graphql';
import { type FieldIssue, ValidationFailed } from '../errors.js';

type Schemas = readonly StandardSchemaV1[];

/** The zod schemas declared on an input field. */
export function boundsOf(field: Pick<GraphQLInputField, 'extensions'>): Schemas {
  const plugin = field.extensions['@pothos/plugin-validation'] as { schemas?: Schemas } | undefined;
  return plugin?.schemas ?? [];
}

/** Pothos' failure as our 400. */
export function invalidInput({ issues }: StandardSchemaV1.FailureResult): ValidationFailed {
  return new ValidationFailed(
    issues.map(({ message, path = [] }): FieldIssue => {
      const keys = path
        .map((step) => (typeof step === 'object' ? step.key : step))
        .map((key) => (typeof key === 'number' ? key : String(key)));
      return { path: keys[0] === 'input' ? keys.slice(1) : keys, message };
    }),
  );
}
