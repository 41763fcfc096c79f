// Prints the operations of an API document as Python: a TypedDict for every schema, and a client class with a method for every operation, once
// for threads and once for asyncio.

/** Words that are no names in Python, and names that an annotation beside them would mean. */
const taken = new Set(
  ['False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda']
    .concat(['nonlocal not or pass raise return try while with yield', 'Any Literal NotRequired bool dict float int list self str'])
    .flatMap((words) => words.split(' ')),
);
const isName = (text) => /^[A-Za-z_]\w*$/.test(text) && !taken.has(text);
const pascal = (text) => text.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, first) => first.toUpperCase());
const snake = (text) => text.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
const literal = (value) => (value === null ? 'None' : value === true ? 'True' : value === false ? 'False' : JSON.stringify(value));
const union = (types) => [...new Set(types.flatMap((type) => type.split(' | ')))].join(' | ');

/** A docstring with an indentation; nothing for a text that is not there. */
function docstring(text, indent) {
  if (!text) return '';
  const escaped = text.trim().replaceAll('\\', '\\\\').replaceAll('"""', "'''").replace(/"$/, '\\"');
  const lines = escaped.split('\n').map((line) => (line === '' ? '' : indent + line));
  return `${indent}"""${lines.join('\n').trimStart()}${lines.length > 1 ? `\n${indent}` : ''}"""\n`;
}

/** The types of schemas. Each object within another one gets a name from where it stands. */
class Types {
  #printed = new Map();

  /** Prints what a name means. */
  define(name, text) {
    if (this.#printed.has(name)) throw new Error(`two schemas are called ${name} in Python`);
    this.#printed.set(name, text);
  }

  get text() {
    return [...this.#printed.values()].join('\n\n');
  }

  /** The name or expression of a schema's type. `name` is what an object in its place is called. */
  of(schema, name) {
    if (schema.$ref) return schema.$ref.split('/').at(-1);
    if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
    if (schema.enum) return `Literal[${schema.enum.map(literal).join(', ')}]`;
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return union(choices.map((choice, at) => this.of(choice, choices.length > 1 ? `${name}${at + 1}` : name)));
    if (Array.isArray(schema.type)) return union(schema.type.map((type) => this.of({ ...schema, type }, name)));
    if (schema.type === 'array') return `list[${schema.items ? this.of(schema.items, `${name}Item`) : 'Any'}]`;
    if (schema.type === 'object') return this.#object(schema, name);
    return { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' }[schema.type] ?? 'Any';
  }

  #object(schema, name) {
    if (Object.keys(schema.properties ?? {}).length === 0) {
      const { additionalProperties: others } = schema;
      return `dict[str, ${typeof others === 'object' && Object.keys(others).length > 0 ? this.of(others, `${name}Value`) : 'Any'}]`;
    }
    this.define(name, this.#typedDict(schema, name));
    return name;
  }

  #typedDict({ properties, required = [], description }, name) {
    const members = Object.entries(properties).map(([member, schema]) => {
      const type = this.of(schema, name + pascal(member));
      return { member, type: required.includes(member) ? type : `NotRequired[${type}]`, description: schema.description };
    });
    if (members.every(({ member }) => isName(member))) {
      const body = members.map(({ member, type, description: said }) => `    ${member}: ${type}\n${docstring(said, '    ')}`);
      return `class ${name}(TypedDict):\n${docstring(description, '    ')}${docstring(description, '    ') && '\n'}${body.join('')}`;
    }
    const body = members.map(({ member, type }) => `        ${JSON.stringify(member)}: ${JSON.stringify(type)},\n`);
    return `${name} = TypedDict(\n    ${JSON.stringify(name)},\n    {\n${body.join('')}    },\n)\n${docstring(description, '')}`;
  }
}

/** What many answers look like. */
const wrappers = `T = TypeVar("T")


class Data(TypedDict, Generic[T]):
    """The answer to most calls."""

    data: T


class Submitted(TypedDict, Generic[T]):
    """The answer to a spend. \`approval\` is there where a person has to approve it."""

    data: T
    approval: NotRequired[PendingApproval]


class Page(TypedDict, Generic[T]):
    """One page of a list."""

    data: list[T]
    pagination: Pagination


`;

/** The type of an answer, with the shapes that many answers have under names of their own. */
function answerType(types, schema, name) {
  const members = Object.keys(schema.properties ?? {}).join();
  if (members === 'data') return `Data[${types.of(schema.properties.data, `${name}Data`)}]`;
  if (members === 'data,approval') return `Submitted[${types.of(schema.properties.data, `${name}Data`)}]`;
  if (members === 'data,pagination') return `Page[${types.of(schema.properties.data.items, `${name}Item`)}]`;
  return types.of(schema, `${name}Answer`);
}

/** An operation as its methods need it. */
function described(types, document, { method, path, operation, isKeyed }) {
  const resolve = ({ $ref, ...own }) => ($ref ? document.components.parameters[$ref.split('/').at(-1)] : own);
  const parameters = (operation.parameters ?? []).map(resolve);
  const name = pascal(operation.operationId);
  const bodySchema = operation.requestBody?.content['application/json'].schema;
  const answers = { done: [], dryRun: [] };
  for (const [status, { content = {} }] of Object.entries(operation.responses)) {
    if (Number(status) >= 300) continue;
    for (const { schema } of Object.values(content)) {
      const type = answerType(types, schema, answers.done.length > 0 && !schema.$ref ? `${name}${status}` : name);
      if (!answers.done.includes(type)) answers[type === 'Data[DryRun]' ? 'dryRun' : 'done'].push(type);
    }
  }
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const spelled = ({ name: wire }) => (taken.has(snake(wire)) ? `${snake(wire)}_` : snake(wire));
  return {
    name: snake(operation.operationId),
    text: [
      operation.summary && `${operation.summary.replace(/\.$/, '')}.`,
      operation.description,
      query.flatMap((one) => (one.description ? [`${spelled(one)}: ${one.description}`] : [])).join('\n'),
    ]
      .filter(Boolean)
      .join('\n\n'),
    method,
    path,
    isKeyed,
    parts: parameters.filter((parameter) => parameter.in === 'path').map(({ name: wire }) => ({ wire, python: snake(wire) })),
    query: query
      // A parameter that is taken in two spellings has the one of Python.
      .filter(({ name: wire }) => snake(wire) === wire || !query.some((other) => other.name === snake(wire)))
      .map((one) => ({
        wire: one.name,
        python: spelled(one),
        isRequired: one.required,
        type: types.of(one.schema, name + pascal(one.name)),
      })),
    body: bodySchema && { type: types.of(bodySchema, `${name}Body`), isRequired: operation.requestBody.required === true },
    answer: union(answers.done) || 'None',
    dryRun: answers.dryRun.length > 0 ? union(answers.dryRun) : undefined,
  };
}

const qualified = (type) =>
  type.replace(/"(?:[^"\\]|\\.)*"|\b[A-Z]\w*/g, (word) => (/^(".*|Any|Literal|None|True|False)$/.test(word) ? word : `s.${word}`));

/** The parameters of a method. */
function signature({ parts, body, query, isKeyed }, dryRun) {
  const inOrder = ['self', ...parts.map(({ python }) => `${python}: str`)];
  if (body) inOrder.push(body.isRequired ? `body: ${qualified(body.type)}` : `body: ${qualified(body.type)} | None = None`);
  const named = query.map(({ wire, python, type, isRequired }) => {
    if (wire === 'dry_run' && dryRun !== undefined) return `dry_run: ${dryRun}`;
    return isRequired ? `${python}: ${qualified(type)}` : `${python}: ${union([qualified(type), 'None'])} = None`;
  });
  if (isKeyed) named.push('idempotency_key: str | None = None');
  return [...inOrder, '*', ...named, 'headers: Mapping[str, str] | None = None'].join(', ');
}

/** The method of an operation. */
function printMethod(operation, isAsync) {
  const { name, method, path, parts, query, body, isKeyed, text, answer, dryRun } = operation;
  const define = isAsync ? 'async def' : 'def';
  const pairs = (list) => `{${list.map(({ wire, python }) => `${JSON.stringify(wire)}: ${python}`).join(', ')}}`;
  const call = [JSON.stringify(method), JSON.stringify(path)];
  if (parts.length > 0) call.push(`parts=${pairs(parts)}`);
  if (query.length > 0) call.push(`query=${pairs(query)}`);
  if (body) call.push('body=body');
  if (isKeyed) call.push('is_keyed=True', 'idempotency_key=idempotency_key');
  call.push('headers=headers');
  const overload = (choice, type) => `    @overload\n    ${define} ${name}(${signature(operation, choice)}) -> ${qualified(type)}: ...\n\n`;
  const overloads = dryRun ? overload('Literal[True]', dryRun) + overload('Literal[False] | None = None', answer) : '';
  const result = qualified(dryRun ? union([answer, dryRun]) : answer);
  return (
    `${overloads}    ${define} ${name}(${signature(operation)}) -> ${result}:\n${docstring(text, '        ')}` +
    `        answer: ${result} = ${isAsync ? 'await ' : ''}self._call(Call(${call.join(', ')}))\n        return answer\n`
  );
}

function printClass(operations, isAsync) {
  const [name, define] = isAsync ? ['AsyncCalls', 'async def'] : ['Calls', 'def'];
  return `from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, overload

from ..call import Call

if TYPE_CHECKING:
    from . import schema as s


class ${name}(ABC):
    """Every operation of the platform as a method."""

    @abstractmethod
    ${define} _call(self, call: Call) -> Any:
        """Makes a call."""

${operations.map((operation) => printMethod(operation, isAsync)).join('\n')}`;
}

/**
 * The Python of an API document, by file name.
 * @param document the API document
 * @param operations its operations, each with `method`, `path`, `operation` and `isKeyed`
 * @param codes every code of an error
 */
export function printPython(document, operations, codes) {
  const types = new Types();
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const type = types.of(schema, name);
    if (type !== name) types.define(name, `${name}: TypeAlias = ${JSON.stringify(type)}\n${docstring(schema.description, '')}`);
  }
  // A channel is no call: channel.py reads it.
  const calls = operations
    .filter(({ operation }) => operation.responses[200]?.content?.['text/event-stream'] === undefined)
    .map((operation) => described(types, document, operation));
  const code = `ErrorCode = Literal[\n${codes.map((one) => `    ${JSON.stringify(one)},\n`).join('')}]\n"""What an error says for programs."""\n\n`;
  const opening = '# Generated from openapi.json by sdk/generate.mjs.\n';
  const imports =
    'from __future__ import annotations\n\nfrom typing import Any, Generic, Literal, NotRequired, TypeAlias, TypedDict, TypeVar\n\n';
  const action = '\n\nNextAction: TypeAlias = ErrorDetailsNextActionsItem\n"""A request that would help out of a refusal."""\n';
  return {
    '__init__.py': opening,
    'schema.py': opening + imports + code + wrappers + types.text + action,
    'calls.py': opening + printClass(calls, false),
    'async_calls.py': opening + printClass(calls, true),
  };
}
