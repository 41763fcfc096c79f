// What the tests of src/http serve: notes, a small schema on the platform's own builder.
import { z } from 'zod';
import type { Ctx } from '../../src/platform/ctx.js';
import { declareError, NotFound } from '../../src/platform/errors.js';
import { transact } from '../../src/platform/idempotency.js';
import { builder, facts } from '../../src/platform/schema/builder.js';
import { newId } from '../../src/platform/schema/id.js';

export class InsufficientInk extends declareError(422, 'insufficient_ink') {}

interface Note {
  id: string;
  text: string;
}

const Note = builder.objectRef<Note>('Note').implement({
  fields: (t) => ({
    id: t.expose('id', { type: 'EventId' }),
    text: t.exposeString('text'),
    print: t.string({ args: { times: t.arg.int() }, resolve: ({ text }, { times }) => text.repeat(times) }),
    self: t.field({ type: Note, resolve: (note) => note }),
    seal: t.string({
      nullable: true,
      extensions: { secret: true },
      resolve: (note, _, ctx) => (ctx.idempotency?.replayOf === undefined ? `whsec_${note.id}` : null),
    }),
  }),
}) as ReturnType<typeof builder.objectRef<Note>>;

/** How often the rule of `writeNote` was entered, and how many endless sources have ended. */
export const seen = { runs: 0, ended: 0 };

const NoteInput = builder.inputType('NoteInput', {
  fields: (t) => ({
    bodyText: t.string({ validate: z.string().min(1).max(20) }),
    dryPen: t.boolean({ required: false }),
    metadata: t.field({ type: 'JSONObject', required: false }),
  }),
});

async function findNote(ctx: Ctx, id: string): Promise<Note> {
  const event = await ctx.db.event.findFirst({ where: { id } });
  if (event === null) throw new NotFound();
  return { id: event.id, text: (event.data as { text: string }).text };
}

/** Writes a note as an event row, under the request's key. */
export async function writeNote(ctx: Ctx, text: string, dryPen = false): Promise<Note> {
  seen.runs += 1;
  const reference = ctx.idempotency?.replayOf;
  if (reference !== undefined) return findNote(ctx, reference);
  return transact(ctx, async (tx) => {
    if (dryPen) throw new InsufficientInk('The pen is dry.', { details: { limit: { ink: '0.00' }, terminal: true } });
    const id = newId(ctx.clock.now());
    await tx.event.create({ data: { id, type: 'note.written', data: { text }, createdAt: ctx.clock.now() } });
    return { id, text };
  });
}

async function* upTo(last: number): AsyncGenerator<number> {
  for (let n = 1; n <= last; n += 1) yield n;
}

/** Never waits, and never ends by itself. */
async function* flood(): AsyncGenerator<string> {
  try {
    for (;;) yield 'x'.repeat(1_000);
  } finally {
    seen.ended += 1;
  }
}

/** Waits for ever after its first value, and counts when it is no longer wanted. */
function oneAndThenNothing(): AsyncIterableIterator<number> {
  let emitted = false;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      if (emitted) return new Promise(() => {});
      emitted = true;
      return Promise.resolve({ done: false, value: 1 });
    },
    async return() {
      seen.ended += 1;
      return { done: true, value: undefined };
    },
  };
}

builder.queryFields((t) => ({
  weather: t.string({ skipTypeScopes: true, authScopes: { audience: 'public' }, resolve: () => 'fair' }),
  echo: t.string({
    skipTypeScopes: true,
    authScopes: { audience: 'public' },
    args: { text: t.arg.string() },
    resolve: (_, { text }) => text,
  }),
  me: t.string({ resolve: (_, __, ctx) => ctx.actor.name }),
  note: t.field({ type: Note, args: { id: t.arg({ type: 'EventId' }) }, resolve: (_, { id }, ctx) => findNote(ctx, id) }),
  sample: t.field({ type: Note, resolve: () => ({ id: '01994d3e-7a80-7c3a-9d55-0b8a4f1c2e6d', text: 'sample' }) }),
  maybe: t.string({
    nullable: true,
    resolve: () => {
      throw new InsufficientInk('No ink left.', { details: { terminal: true } });
    },
  }),
  crash: t.string({
    resolve: () => {
      throw new Error('password for pk_live_abcdefghijkl is hunter2');
    },
  }),
}));
builder.mutationFields((t) => ({
  writeNote: t.field({
    type: Note,
    args: { input: t.arg({ type: NoteInput }) },
    resolve: (_, { input }, ctx) => writeNote(ctx, input.bodyText, input.dryPen ?? false),
  }),
  rehearse: t.string({ ...facts({ effect: 'none' }), resolve: () => 'A note would be written.' }),
  signIn: t.string({
    ...facts({ rateClass: 'auth' }),
    skipTypeScopes: true,
    authScopes: { audience: 'public' },
    resolve: () => 'welcome',
  }),
}));
builder.subscriptionType({ authScopes: { audience: 'any' } });
builder.subscriptionFields((t) => ({
  count: t.int({
    args: { to: t.arg.int() },
    subscribe: (_, { to }) => (to === 0 ? oneAndThenNothing() : upTo(to)),
    resolve: (n) => n as number,
  }),
  long: t.string({ args: { letters: t.arg.int() }, subscribe: () => upTo(1), resolve: (_, { letters }) => 'x'.repeat(letters) }),
  flood: t.string({ subscribe: flood, resolve: (text) => text as string }),
}));
export const schema = builder.toSchema();
