// What is printed from the routes of fields, and what is wrong with one: the process stops with the name of the field.
import {
  GraphQLEnumType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  parse,
  print,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { type FieldRoute, routesOf, type WireOptions } from '../../src/platform/schema/route.js';
import { printOperations } from '../../src/rest/print.js';
import { compileRoutes } from '../../src/rest/routes.js';

const rest = routesOf('shelves', 'Where things stand.');
const on = (pothosOptions: { route?: FieldRoute; wire?: WireOptions }) => ({ extensions: { pothosOptions } });
const wire = (options: WireOptions) => on({ wire: options });
const text = { type: GraphQLString };
const one = { type: new GraphQLNonNull(GraphQLString) };

const Size = new GraphQLObjectType({ name: 'Size', fields: { width: text } });
const Label = new GraphQLObjectType({ name: 'Label', fields: { text } });
const Thing: GraphQLObjectType = new GraphQLObjectType({
  name: 'Thing',
  fields: () => ({
    madeAt: text,
    id: { ...text, ...wire({ after: 'madeAt' }) },
    secret: { ...text, ...wire({ shown: false }) },
    size: { type: Size },
    labels: { type: new GraphQLList(Label) },
    shelf: { type: Shelf, extensions: { visible: true } },
    photo: { ...text, args: { width: { type: GraphQLInt } } },
    last30Days: { ...text, ...wire({ name: 'last_30_days', orNull: true }) },
  }),
});
const Shelf = new GraphQLObjectType({
  name: 'Shelf',
  fields: { label: { type: Label }, top: { type: Thing, ...wire({ fragment: 'Brief' }) } },
});
const Position = new GraphQLObjectType({ name: 'Position', fields: { page: { type: GraphQLInt } } });
const ThingPage = new GraphQLObjectType({
  name: 'ThingPage',
  fields: { nodes: { type: new GraphQLList(Thing) }, pagination: { type: Position } },
});
const Order = new GraphQLEnumType({ name: 'Order', values: { up: { value: 1 }, down: { value: 2 } } });

function schemaOf(
  route: FieldRoute,
  { type = Thing, args = { id: one } }: { type?: GraphQLObjectType | typeof GraphQLString; args?: object } = {},
) {
  const field = (own: object) => ({ type: new GraphQLNonNull(type), args: args as never, ...own });
  return new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields: { thing: field(on({ route })) } }) });
}
const printed = (...given: Parameters<typeof schemaOf>) => printOperations(schemaOf(...given)).map((part) => print(parse(part.text)));
const compact = (document: string | undefined) => document?.replace(/\s+/g, ' ');

describe('printOperations', () => {
  it('shows every field without arguments that is no relation, as the fields say', () => {
    const [operation] = printed(rest('GET /v1/things/{id}', 'Read a thing.'));
    expect(compact(operation)).toBe(
      '"Read a thing." query getThing($id: String!) @route(method: GET, path: "/v1/things/{id}") { data: thing(id: $id) { ' +
        'made_at: madeAt id size { width } labels { text } last_30_days: last30Days @orNull } }',
    );
  });

  it('makes a fragment of a type that stands at two places, and adds what a route shows beside', () => {
    const parts = printed(rest('GET /v1/things/{id}', undefined, { also: ['secret', 'shelf'] })).map(compact);
    expect(parts[0]).toBe('fragment Label on Label { text }');
    expect(parts[1]).toContain(
      'labels { ...Label } last_30_days: last30Days @orNull secret shelf { label { ...Label } top { ...Brief } } }',
    );
  });

  it('takes the fragment that somebody wrote for a type', () => {
    const written = parse('fragment Thing on Thing { id }').definitions;
    const [operation, ...more] = printOperations(schemaOf(rest('GET /v1/things/{id}')), written);
    expect(compact(operation?.text)).toContain('{ data: thing(id: $id) { ...Thing } }');
    expect(more).toEqual([]);
  });

  it('spells the arguments of a page last, with their defaults, and its nodes as data', () => {
    const args = {
      page: { type: GraphQLInt, defaultValue: 1 },
      limit: { type: GraphQLInt },
      after: text,
      ownerId: text,
      sortBy: { type: Order, defaultValue: 2 },
      timeRange: text,
    };
    const route = rest('GET /v1/owners/{id}/things', 'List them.', { names: { ownerId: 'id', timeRange: 'timeRange' } });
    expect(compact(printed(route, { type: ThingPage, args }).at(-1))).toBe(
      '"List them." query listThing($id: String!, $sort_by: Order = down, $timeRange: String, $page: Int = 1, $limit: Int, $starting_after: String) ' +
        '@route(method: GET, path: "/v1/owners/{id}/things") { body: thing( ownerId: $id sortBy: $sort_by timeRange: $timeRange page: $page ' +
        'limit: $limit after: $starting_after ) { data: nodes { made_at: madeAt id size { width } labels { text } last_30_days: last30Days @orNull } ' +
        'pagination { page } } }',
    );
  });

  it('says status and flag, and which member of the answer is data', () => {
    const [operation] = printed(rest('POST /v1/shelves', '', { name: 'putShelf', status: 201, when: 'dry_run', body: 'label' }), {
      type: Shelf,
      args: {},
    });
    expect(compact(operation)).toBe(
      'query putShelf @route(method: POST, path: "/v1/shelves", status: 201, when: dry_run) { body: thing { data: label { text } top { ...Brief } } }',
    );
  });
});

describe('a route stops the process', () => {
  const misplaced = new GraphQLObjectType({ name: 'Misplaced', fields: { id: { ...text, ...wire({ after: 'name' }) } } });
  it.each<[string, RegExp, ...Parameters<typeof schemaOf>]>([
    ['whose path names no argument', /^Query\.thing:2:\d+ \{idd\} of \/v1\/a\/\{idd\} is no variable/, rest('GET /v1/a/{idd}')],
    [
      'that spells an argument which is not there',
      /^Query\.thing has no argument name/,
      rest('GET /v1/a/{id}', '', { names: { name: 'id' } }),
    ],
    ['that adds a field which is not there', /^Query\.thing: Thing has no field price/, rest('GET /v1/a/{id}', '', { also: ['price'] })],
    ['whose data is not there', /^Query\.thing: Thing shows no item/, rest('GET /v1/a/{id}', '', { body: 'item' })],
    ['with a status that is no success', /^Query\.thing:2:\d+ @route: status is a 2xx/, rest('GET /v1/a/{id}', '', { status: 404 })],
    ['of a field that answers no object', /^Query\.thing: String has no form on the wire/, rest('GET /v1/a/{id}'), { type: GraphQLString }],
    ['to a type whose order is none', /^Misplaced\.id: there is no name that it could follow/, rest('GET /v1/a/{id}'), { type: misplaced }],
  ])('%s', (_, message, ...given) => {
    expect(() => compileRoutes(schemaOf(...given))).toThrow(message);
  });

  it('on a field that is no root', () => {
    const fields = {
      thing: { type: new GraphQLObjectType({ name: 'Inner', fields: { id: { ...text, ...on({ route: rest('GET /v1/a') }) } } }) },
    };
    const nested = new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields }) });
    expect(() => compileRoutes(nested)).toThrow(/^Inner\.id has a route: only fields of Query and Mutation have one/);
  });

  it('that another field has too', () => {
    const field = { type: new GraphQLNonNull(Label), ...on({ route: rest('GET /v1/a') }) };
    const twins = new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields: { one: field, two: field } }) });
    expect(() => compileRoutes(twins)).toThrow(/^Query\.two:2: "getTwo" and "getOne" both answer GET \/v1\/a/);
  });
});
