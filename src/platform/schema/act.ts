// Names what a request does, for the audit log: the mutation, what it is about, and what was asked for without its secrets.
import {
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
} from 'graphql';
import type { Ctx } from '../ctx.js';
import { snakeCase } from '../snake-case.js';
import { idKinds } from './id.js';

/** Stands where something secret was. */
const hidden = '[hidden]';
/** Members that may carry a secret, wherever they stand. */
const secretName =
  /secret|token|jwt|password|signature|signed|proof|private|api_?key|credential|authorization|nonce|challenge|mnemonic|^details$|^pan$|cvc|cvv/i;
/** Text that is a credential. */
const secretText = /(?:pk_(?:test|live)|agent|sess|portal|whsec)_[\w-]{6,}|eyJ[\w-]+\.[\w-]+\.|-----BEGIN|^Bearer /;
// Gap G-366: `changes` has the members as sent, without secrets; texts are cut at 500 characters, lists of over 20 counted.
const mostItems = 20;
const mostText = 500;
const mostBytes = 4_096;

/** The value without its secrets, as the audit log stores it; undefined: it is left out. */
type Redact = (value: unknown) => unknown;

/** Gives every mutation of the schema a name in the ctx of its request, before it runs. */
export function nameActs(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve, name, args, type } = field;
    if (resolve === undefined) continue;
    const { idArgument, resourceType } = subjectOf(args, type);
    const redact = changesOf(args.filter((argument) => argument.name !== idArgument));
    field.resolve = (root, given: Record<string, unknown>, ctx: Ctx, info) => {
      const named = idArgument === undefined ? undefined : given[idArgument];
      ctx.act = {
        action: name,
        resourceType,
        ...(typeof named === 'string' && { resourceId: named }),
        changes: () => redact(given),
      };
      return resolve(root, given, ctx, info);
    };
  }
  return schema;
}

/** The argument that names what is changed, and its type: of what has no id yet that of the answer. */
function subjectOf(args: readonly GraphQLArgument[], answer: GraphQLOutputType): { idArgument?: string; resourceType: string } {
  const argument = args.find(({ name }) => name === 'id');
  const named = argument === undefined ? undefined : resourceOf(argument.type);
  if (argument !== undefined && named !== undefined) return { idArgument: argument.name, resourceType: named };
  return { resourceType: resourceOfAnswer(answer) };
}

/** The noun of an id scalar: `WalletId` is `wallet`. */
function resourceOf(type: GraphQLInputType | GraphQLOutputType): string | undefined {
  const scalar = getNamedType(type).name;
  const kind = Object.entries(idKinds).find(([, { scalars }]) => Object.hasOwn(scalars, scalar));
  return kind === undefined ? undefined : snakeCase(kind[0]);
}

/** The noun of an answer: of its id, or of the id of its first member that has one; else the name of its type. */
function resourceOfAnswer(answer: GraphQLOutputType): string {
  const type = getNamedType(answer);
  if (!isObjectType(type)) return snakeCase(type.name);
  const fields = Object.values(type.getFields());
  const holders = [type, ...fields.map((field) => getNamedType(field.type)).filter(isObjectType)];
  for (const holder of holders) {
    const id = holder.getFields()['id'];
    const noun = id === undefined ? undefined : resourceOf(id.type);
    if (noun !== undefined) return noun;
  }
  // `ACPCheckout` is `acp_checkout`, as its ids are.
  return snakeCase(type.name.replace(/Payload$/, '').replace(/^[A-Z]+(?=[A-Z][a-z])/, (acronym) => acronym.toLowerCase()));
}

/** The arguments without their secrets: the members of `input`, and whatever stands beside it. Null where that is nothing. */
function changesOf(args: readonly GraphQLArgument[]): (given: Record<string, unknown>) => Record<string, unknown> | null {
  const redactions = args.map(({ name, type }) => ({ name, wire: snakeCase(name), redact: redactionOf(name, type) }));
  return (given) => {
    const redacted: Record<string, unknown> = {};
    for (const { name, wire, redact } of redactions) {
      const value = given[name] === undefined ? undefined : redact(given[name]);
      if (value === undefined) continue;
      if (name === 'input') Object.assign(redacted, value);
      else redacted[wire] = value;
    }
    if (Object.keys(redacted).length === 0) return null;
    // What is too long is recorded by the names of its members alone.
    return JSON.stringify(redacted).length > mostBytes ? { members: Object.keys(redacted) } : redacted;
  };
}

/** The redaction of a value of an input type: members by their names on the wire. */
function redactionOf(name: string, type: GraphQLInputType, isSecret = secretName.test(name)): Redact {
  if (isSecret) return () => hidden;
  const inner = getNullableType(type);
  if (isListType(inner)) {
    const redact = redactionOf('', inner.ofType);
    return (value) => (Array.isArray(value) ? redactList(value, redact) : redact(value));
  }
  if (!isInputObjectType(inner)) return redactPlain;
  // An input type may contain itself, so its members are looked at when they are first needed.
  let members: { name: string; wire: string; redact: Redact }[] | undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null) return value;
    members ??= Object.values(inner.getFields()).map((field) => ({
      name: field.name,
      wire: snakeCase(field.name),
      redact: redactionOf(field.name, field.type, field.extensions['secret'] === true || secretName.test(field.name)),
    }));
    const redacted: Record<string, unknown> = {};
    for (const member of members) {
      const given = (value as Record<string, unknown>)[member.name];
      if (given !== undefined) redacted[member.wire] = member.redact(given);
    }
    return redacted;
  };
}

function redactList(list: readonly unknown[], redact: Redact): unknown {
  return list.length > mostItems ? { items: list.length } : list.map(redact);
}

/** Redacts a scalar, and JSON as its sender has it. */
function redactPlain(value: unknown): unknown {
  if (typeof value === 'string') return secretText.test(value) ? hidden : value.length > mostText ? `${value.slice(0, mostText)}…` : value;
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Date || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return redactList(value, redactPlain);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, secretName.test(key) ? hidden : redactPlain(member)]));
}
