// What an answer looks like: the shape of a selection, and how it is rendered. A null member is left out unless the document
// says @orNull (SPEC.md: shipping_address, client_secret); free-form JSON is left alone; secrets are left out of what is stored.
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLNamedOutputType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isNonNullType,
  isObjectType,
  isUnionType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql';

/** One selected field, under its wire name. */
export interface OutputShape {
  key: string;
  field: GraphQLField<unknown, unknown>;
  named: GraphQLNamedOutputType;
  /** Its null is sent. */
  orNull: boolean;
  /** Left out of what is stored for replays. */
  secret: boolean;
  /** Absent where the object is of another type, or the selection has @include or @skip. */
  conditional: boolean;
  /** Name of the fragment that is its whole selection. */
  fragment?: string;
  members?: Map<string, OutputShape>;
}

/** The shape of a selected field of a validated document. */
export function shapeOf(
  schema: GraphQLSchema,
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  orNull: ReadonlySet<FieldNode>,
): OutputShape {
  const shape = (definition: GraphQLField<unknown, unknown>, selected: FieldNode, conditional: boolean): OutputShape => {
    const named = getNamedType(definition.type);
    const whole = isCompositeType(named) && selected.selectionSet ? wholeFragment(selected.selectionSet, named, fragments) : undefined;
    const made: OutputShape = {
      key: selected.alias?.value ?? selected.name.value,
      field: definition,
      named,
      orNull: orNull.has(selected),
      secret: definition.extensions['secret'] === true,
      conditional: conditional || (selected.directives ?? []).length > 0,
    };
    if (whole !== undefined) made.fragment = whole;
    if (isCompositeType(named) && selected.selectionSet !== undefined)
      made.members = collect(named, selected.selectionSet, false, new Map());
    return made;
  };

  const collect = (
    parent: GraphQLCompositeType,
    { selections }: SelectionSetNode,
    conditional: boolean,
    members: Map<string, OutputShape>,
  ) => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        add(members, shape(fieldOf(parent, selection.name.value), selection, conditional));
        continue;
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
      if (fragment === undefined) continue;
      const condition = fragment.typeCondition?.name.value ?? parent.name;
      const type = schema.getType(condition);
      if (!isCompositeType(type)) continue;
      const sometimes = conditional || (condition !== parent.name && !isObjectType(parent)) || (selection.directives ?? []).length > 0;
      collect(type, fragment.selectionSet, sometimes, members);
    }
    return members;
  };

  return shape(field, node, false);
}

function fieldOf(parent: GraphQLCompositeType, name: string): GraphQLField<unknown, unknown> {
  const meta = [TypeNameMetaFieldDef, SchemaMetaFieldDef, TypeMetaFieldDef].find((field) => field.name === name);
  const field = meta ?? (isUnionType(parent) ? undefined : parent.getFields()[name]);
  if (field === undefined) throw new Error(`${parent.name} has no field ${name}`);
  return field;
}

function wholeFragment(
  { selections }: SelectionSetNode,
  type: GraphQLCompositeType,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): string | undefined {
  const [only, ...others] = selections;
  if (only?.kind !== Kind.FRAGMENT_SPREAD || others.length > 0 || (only.directives ?? []).length > 0) return undefined;
  return fragments.get(only.name.value)?.typeCondition.name.value === type.name ? only.name.value : undefined;
}

/** A key that is selected twice is one member: validation has made sure that both agree. */
function add(members: Map<string, OutputShape>, shape: OutputShape): void {
  const known = members.get(shape.key);
  if (known === undefined) {
    members.set(shape.key, shape);
    return;
  }
  known.orNull ||= shape.orNull;
  known.secret ||= shape.secret;
  known.conditional &&= shape.conditional;
  if (known.fragment !== shape.fragment) delete known.fragment;
  if (known.members !== undefined) for (const member of shape.members?.values() ?? []) add(known.members, member);
}

/**
 * Makes a result ready for JSON.stringify, in place: null members become undefined, which JSON leaves out. An executor builds
 * its result anew for each request, so nobody else sees it. Undefined when a shape has nothing to leave out.
 */
export type DropNulls = (value: unknown) => void;

/** Compiles the dropping of null members for a shape. */
export function nullDropper(shape: OutputShape): DropNulls | undefined {
  if (shape.members === undefined) return undefined;
  const members = [...shape.members.values()];
  const nullable = members.filter(({ field, orNull }) => !isNonNullType(field.type) && !orNull).map(({ key }) => key);
  const nested = members.flatMap((member): [string, DropNulls][] => {
    const drop = nullDropper(member);
    return drop === undefined ? [] : [[member.key, drop]];
  });
  if (nullable.length === 0 && nested.length === 0) return undefined;
  const drop: DropNulls = (value) => {
    if (Array.isArray(value)) {
      for (const item of value) drop(item);
      return;
    }
    if (value === null || value === undefined) return;
    const object = value as Record<string, unknown>;
    for (const key of nullable) if (object[key] === null) object[key] = undefined;
    for (const [key, dropNested] of nested) dropNested(object[key]);
  };
  return drop;
}

/** Compiles the copying of a rendered value without its secret members; undefined when a shape has none. */
export function secretRemover(shape: OutputShape): ((value: unknown) => unknown) | undefined {
  const members = [...(shape.members?.values() ?? [])];
  const secret = new Set(members.filter((member) => member.secret).map(({ key }) => key));
  const nested = new Map(
    members.flatMap((member) => {
      const remove = secretRemover(member);
      return remove === undefined ? [] : [[member.key, remove] as const];
    }),
  );
  if (secret.size === 0 && nested.size === 0) return undefined;
  const remove = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(remove);
    if (typeof value !== 'object' || value === null) return value;
    const copy: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(value)) {
      if (!secret.has(key)) copy[key] = nested.get(key)?.(member) ?? member;
    }
    return copy;
  };
  return remove;
}

/** True for a type whose value may be absent from the answer. A replay has no secrets, also where their null is sent. */
export function isOptional({ field, orNull, conditional, secret }: OutputShape): boolean {
  return conditional || !(isNonNullType(field.type) || (orNull && !secret));
}
