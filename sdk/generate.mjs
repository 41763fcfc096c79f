// Prints src/generated from the openapi.json of the project: the types of every operation, by openapi-typescript, the codes of errors, and
// which operations take an Idempotency-Key; and the same for Python, by python.mjs. The build runs it: node sdk/generate.mjs
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import { printPython } from './python.mjs';

const generated = new URL('./src/generated/', import.meta.url);
const python = new URL('./python/src/agent_payments/generated/', import.meta.url);
const document = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    operation,
  })),
);
const isKey = ({ $ref, name }) => $ref === '#/components/parameters/IdempotencyKey' || name === 'Idempotency-Key';
const takesKey = ({ parameters = [] }) => parameters.some(isKey);

/** Every code that an error of the document may have. */
function codesIn(value) {
  if (value === null || typeof value !== 'object') return [];
  const own = value.properties?.code?.enum ?? [];
  return [...own, ...Object.values(value).flatMap(codesIn)];
}

/** What is no answer that a call returns: a call throws its failures, and answers with a body. */
function dropWhatIsThrown({ operation }) {
  delete operation['x-graphql'];
  // Some protocols require a key of their clients: the client makes it.
  for (const parameter of (operation.parameters ?? []).filter(isKey)) delete parameter.required;
  for (const [status, response] of Object.entries(operation.responses)) {
    if (Number(status) >= 300) delete operation.responses[status];
    else delete response.headers;
  }
}

function write(name, text) {
  const opening = `// Generated from openapi.json by sdk/generate.mjs.\n`;
  writeFileSync(new URL(name, generated), opening + text);
}

mkdirSync(generated, { recursive: true });
const codes = [
  ...new Set(operations.flatMap(({ operation }) => codesIn(operation.responses)).concat(codesIn(document.components.responses))),
];
const union = codes.sort().map((code) => `  | ${JSON.stringify(code)}`);
write('code.ts', `/** What an error says for programs. */\nexport type ErrorCode =\n${union.join('\n')};\n`);

const exceptions = operations.filter(({ name, operation }) => takesKey(operation) === name.startsWith('GET ')).map(({ name }) => name);
const list = exceptions.map((name) => `  ${JSON.stringify(name)},`);
write(
  'key-exception.ts',
  `/** Requests that read and take an Idempotency-Key, or do not read and take none. */\nexport const keyExceptions: readonly string[] = [\n${list.join('\n')}\n];\n`,
);

mkdirSync(python, { recursive: true });
const keyed = operations.map((one) => ({ ...one, isKeyed: takesKey(one.operation) }));
for (const [name, text] of Object.entries(printPython(document, keyed, codes))) writeFileSync(new URL(name, python), text);

operations.forEach(dropWhatIsThrown);
delete document.components.responses;
delete document.components.headers;
write('api.ts', astToString(await openapiTS(document, { silent: true })));
