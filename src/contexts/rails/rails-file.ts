// RAILS_FILE (CONTRACT.md 27 "Settings"): the rails of production, read once when a process starts. Everything that is wrong in it is said at
// once, by path. Secrets are references, so none stands in it or in a message.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { canonicalJson } from '../../platform/canonical-json.js';
import { sha256 } from '../../platform/crypto.js';
import type { NamedParts } from '../../platform/extension.js';
import { nearestName, quotedName } from '../../platform/misspelt-name.js';
import type { Currency } from '../../platform/money.js';
import { parseAnyId } from '../../platform/schema/id.js';
import { readYaml, type YamlText } from '../../platform/yaml.js';
import { zodWords } from '../../platform/zod-words.js';
import { amountSetting } from './amount-setting.js';
import type { ConfiguredRail, RailKind, RailSetting } from './rail-kind.js';
import type { SecretPlace } from './secret.js';

const mostCharacters = 262_144;
const mostRails = 20;

/** What the file says. */
export interface RailsFile {
  /** The tenant whose live workspace sees what only who runs the platform sees; null: the only one. */
  operator: string | null;
  rails: readonly ConfiguredRail[];
}

type Kinds = NamedParts<() => Promise<RailKind>>;

/** Every problem of a file, each a sentence that begins with where it is. */
export class RailsFileError extends Error {
  readonly problems: readonly string[];

  constructor(file: string, problems: readonly string[]) {
    super(`${file} does not say what rails there are:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.name = 'RailsFileError';
    this.problems = problems;
  }
}

interface Problem {
  path: readonly (string | number)[];
  message: string;
}

interface Read {
  name: string;
  kind: RailKind;
  setting: RailSetting;
  own: Record<string, unknown>;
}

const whole = z.strictObject({
  version: z.literal(1, 'must be 1: this release reads version 1'),
  operator: z
    .string()
    .transform((text) => parseAnyId(text))
    .refine((id) => id !== null, 'must be the id of a tenant')
    .optional(),
  rails: z
    .record(z.string(), z.unknown())
    .refine((rails) => Object.keys(rails).length > 0, 'must have a rail')
    .refine((rails) => Object.keys(rails).length <= mostRails, `must have at most ${mostRails} rails`),
});

/** The members that each rail has beside those of its kind. */
function commonShape(currency: Currency, kind: RailKind) {
  return {
    kind: z.string(),
    workspaces: z
      .union([
        z.literal('all'),
        z
          .array(z.string().refine((id) => parseAnyId(id) !== null, 'must be the id of a workspace'))
          .min(1)
          .max(1_000),
      ])
      .default('all'),
    fee: amountSetting(currency, 0n).default(0n),
    limits: z.strictObject({
      per_order: amountSetting(currency),
      per_day: amountSetting(currency),
      per_day_count: z.number().int().min(1).max(1_000_000),
    }),
    expected_seconds: z.number().int().min(1).max(604_800).default(kind.expectedSeconds),
  };
}

/** Reads the file of a path. Throws RailsFileError with all that is wrong. */
export async function readRailsFile(file: string, kinds: Kinds, variable: SecretPlace['variable']): Promise<RailsFile> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new RailsFileError(file, [error.code === 'ENOENT' ? 'there is no such file' : `it cannot be read: ${error.code}`]);
  });
  let yaml: YamlText;
  try {
    yaml = readYaml(text, { most: mostCharacters });
  } catch (error) {
    throw new RailsFileError(file, [(error as Error).message]);
  }
  const problems: Problem[] = [];
  const top = check(whole, yaml.value, [], problems);
  const read: Read[] = [];
  for (const [name, value] of Object.entries(top?.rails ?? {})) {
    const rail = await readRail(name, value, kinds, problems);
    if (rail !== null) read.push(rail);
  }
  problems.push(...conflictsOf(read));
  const place = { folder: path.dirname(path.resolve(file)), variable };
  const rails = await openAll(read, place, problems);
  if (problems.length > 0)
    throw new RailsFileError(
      file,
      problems.map((problem) => sentence(yaml, problem)),
    );
  return { operator: top?.operator ?? null, rails };
}

/** Opens rails, and says of each that cannot be why: a secret that is not there, a key file that others may read. */
async function openAll(read: readonly Read[], place: SecretPlace, problems: Problem[]): Promise<ConfiguredRail[]> {
  const opened = await Promise.allSettled(read.map(async ({ kind, setting, own }) => kind.open(setting, own, place)));
  opened.forEach((outcome, at) => {
    if (outcome.status === 'rejected')
      problems.push({ path: ['rails', read[at]?.name ?? ''], message: `cannot be opened: ${(outcome.reason as Error).message}` });
  });
  return opened.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
}

async function readRail(name: string, value: unknown, kinds: Kinds, problems: Problem[]): Promise<Read | null> {
  const at = ['rails', name];
  const refuse = (message: string, member?: string): null => {
    problems.push({ path: member === undefined ? at : [...at, member], message });
    return null;
  };
  if (!/^[a-z0-9-]{2,20}$/.test(name)) refuse('has a name of other than 2 to 20 lower-case letters, digits and "-"');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse('must be an object');
  const { kind: kindName } = value as Record<string, unknown>;
  const known = [...kinds.entries()].map(([each]) => each);
  if (typeof kindName !== 'string' || !kinds.has(kindName)) {
    const meant = typeof kindName === 'string' ? nearestName(kindName, known) : undefined;
    return refuse(`must be one of ${known.join(', ')}${meant === undefined ? '' : `: did you mean ${meant}?`}`, 'kind');
  }
  const kind = await kinds.get(kindName)();
  const currency = kind.currencyOf(name);
  if (currency === null) return refuse(`is of kind ${kindName}: ${kind.names}`);
  const common = commonShape(currency, kind);
  const members = check(z.strictObject({ ...common, ...kind.shape }), value, at, problems);
  if (members === undefined) return null;
  const { workspaces, fee, limits, expected_seconds, ...own } = members;
  const setting: RailSetting = {
    name,
    kind: kindName,
    currency,
    workspaces: workspaces === 'all' ? 'all' : workspaces.map((id) => parseAnyId(id) as string),
    fee,
    limits: { perOrder: limits.per_order, perDay: limits.per_day, perDayCount: limits.per_day_count },
    expectedSeconds: expected_seconds,
    digest: sha256(canonicalJson(value)).toString('hex'),
  };
  return { name, kind, setting, own };
}

/** What is wrong with rails beside each other. */
function conflictsOf(read: readonly Read[]): Problem[] {
  const kinds = [...new Set(read.map(({ kind }) => kind))];
  return kinds.flatMap((kind) =>
    kind
      .conflicts(read.filter((rail) => rail.kind === kind))
      .map(({ name, member, problem }) => ({ path: ['rails', name, member], message: problem })),
  );
}

function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  at: readonly string[],
  problems: Problem[],
): z.output<Schema> | undefined {
  const read = schema.safeParse(value, { error: zodWords });
  if (read.success) return read.data;
  for (const issue of read.error.issues) {
    const steps = issue.path as (string | number)[];
    if (issue.code !== 'unrecognized_keys') problems.push({ path: [...at, ...steps], message: issue.message });
    else
      for (const key of issue.keys)
        problems.push({ path: [...at, ...steps, quotedName(key)], message: unknownMember(key, membersAt(schema, steps)) });
  }
  return undefined;
}

function unknownMember(name: string, known: readonly string[]): string {
  const meant = nearestName(name, known);
  return meant === undefined ? 'is no member here' : `is no member here: did you mean ${meant}?`;
}

/** The members that an object may have which stands at a path of a value. */
function membersAt(schema: z.ZodType, path: readonly (string | number)[]): string[] {
  let at: z.ZodType | undefined = bare(schema);
  for (const step of path) at = at instanceof z.ZodObject ? bare(at.shape[step as string] as z.ZodType | undefined) : undefined;
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

/** A schema without what makes it optional. */
function bare(schema: z.ZodType | undefined): z.ZodType | undefined {
  const inner = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
  return inner ? bare(schema.unwrap() as z.ZodType) : schema;
}

function sentence(yaml: YamlText, { path: steps, message }: Problem): string {
  const line = yaml.lineOf(steps);
  return `${line === undefined ? '' : `line ${line}: `}${steps.length === 0 ? 'the file' : steps.join('.')} ${message}`;
}
