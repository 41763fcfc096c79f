// An example for GraphQL Code Generator: types of the schema, and of the operations in your own files, in which no scalar is unknown. Copy it
// with scalars.ts, install @graphql-codegen/cli, @graphql-codegen/typescript and @graphql-codegen/typescript-operations, and run
// `graphql-codegen --config codegen.ts`. A server serves its schema at /schema.graphql.
import { scalars } from './scalars.js';

const config = { scalars, strictScalars: true, enumsAsTypes: true, useTypeImports: true };

export default {
  schema: 'http://localhost:4001/schema.graphql',
  documents: 'src/**/*.graphql',
  generates: {
    './src/schema.ts': { plugins: ['typescript'], config },
    './src/api.ts': { plugins: ['typescript-operations'], config },
  },
};
