// Checks answers against openapi.json: the status is declared and the body fits its schema.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import { manifest } from '../src/contexts.js';
import answers from '../src/rest/answers.json' with { type: 'json' };
import { openApi } from '../src/rest/openapi.js';
import { compileRoutes, loadOperations } from '../src/rest/routes.js';
import { schema } from '../src/schema.js';

const routes = compileRoutes(schema, loadOperations(new URL('../src/contexts', import.meta.url).pathname));
// biome-ignore lint/suspicious/noExplicitAny: a JSON document
export const document: any = openApi(routes, { doors: manifest.doors, answers });

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, 'openapi.json');

interface Template {
  template: string;
  pattern: RegExp;
  weight: number;
}

/** The templates with an operation of a method, by the method and the number of their segments. Those with few parameters come first. */
const templates = new Map<string, Template[]>();
const placeOf = (method: string, path: string) => `${method.toLowerCase()} ${path.split('/').length}`;
for (const [template, item] of Object.entries(document.paths)) {
  const pattern = new RegExp(`^${template.replace(/\{[^}]+\}/g, '([^/]+)')}$`);
  const weight = template.split('{').length;
  for (const method of Object.keys(item as object)) {
    const place = placeOf(method, template);
    templates.set(place, [...(templates.get(place) ?? []), { template, pattern, weight }]);
  }
}
for (const found of templates.values()) found.sort((a, b) => a.weight - b.weight);

const validators = new Map<string, ValidateFunction | null>();

function pointer(...steps: string[]): string {
  return steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
}

/** The validator of an answer; null when it has no body that can be checked; undefined when the status is not declared. */
function validatorOf(template: string, method: string, status: number): ValidateFunction | null | undefined {
  const operation = document.paths[template]?.[method.toLowerCase()];
  let response = operation?.responses?.[status];
  if (response === undefined) return undefined;
  let at = `#/${pointer('paths', template, method.toLowerCase(), 'responses', String(status))}`;
  if (response.$ref !== undefined) {
    at = response.$ref;
    response = document.components.responses[response.$ref.split('/').at(-1)];
  }
  if (response.content?.['application/json']?.schema === undefined) return null;
  const key = `${at}/content/application~1json/schema`;
  let validator = validators.get(key);
  if (validator === undefined) {
    validator = ajv.compile({ $ref: `openapi.json${key.replace('application~1json', pointer('application/json'))}` });
    validators.set(key, validator);
  }
  return validator;
}

/** The operation of the document that a request reaches, if there is one. */
export function operationAt(method: string, path: string): { template: string } | undefined {
  const [bare = ''] = path.split('?');
  return templates.get(placeOf(method, bare))?.find(({ pattern }) => pattern.test(bare));
}

/** What is wrong with a body that a request to an operation would carry; null when it could be sent. */
export function bodyFault(method: string, path: string, body: unknown): string | null {
  const template = operationAt(method, path)?.template ?? '';
  const given = document.paths[template]?.[method.toLowerCase()]?.requestBody;
  if (given === undefined) return body === undefined ? null : 'takes no body';
  const key = `#/${pointer('paths', template, method.toLowerCase(), 'requestBody', 'content', 'application/json', 'schema')}`;
  let validator = validators.get(key);
  if (validator === undefined) {
    validator = ajv.compile({ $ref: `openapi.json${key}` });
    validators.set(key, validator);
  }
  return validator?.(body ?? {}) === false ? ajv.errorsText(validator.errors) : null;
}

/** Fails the test when an answer is not what openapi.json promises. */
export function checkAnswer(method: string, path: string, { status, body }: { status: number; body: unknown }): void {
  const found = operationAt(method, path);
  if (found === undefined) return;
  const validator = validatorOf(found.template, method, status);
  if (validator === undefined)
    expect.fail(`${method} ${found.template} answers ${status}, which openapi.json does not declare: ${JSON.stringify(body)}`);
  if (validator !== null && !validator(body)) {
    expect.fail(`${method} ${found.template} ${status}: ${ajv.errorsText(validator.errors)}\n${JSON.stringify(body, null, 2)}`);
  }
}
