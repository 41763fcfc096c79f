// The types of a call: what an operation of openapi.json takes, and what it answers when it is not refused.
import type { ParamsOption, RequestBodyOption } from 'openapi-fetch';
import type { paths } from './generated/api.js';

type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The paths that have an operation of a method. */
export type PathOf<Method extends Verb> = {
  [Path in keyof paths]: paths[Path][Method] extends { responses: unknown } ? Path : never;
}[keyof paths];

/** What any call takes beside the parameters and the body of its operation. */
export interface CallOptions {
  /** Makes this call the same as another one, also of another process; by default each is its own. */
  idempotencyKey?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** The parameters, the body and the options of an operation. */
export type Init<Operation> = ParamsOption<Operation> & RequestBodyOption<Operation> & CallOptions;

type Content<Answer> = Answer extends { content: infer Types } ? Types[keyof Types] : undefined;
type Answers<Operation> = Operation extends { responses: infer Statuses } ? Content<Statuses[keyof Statuses]> : never;
/** What a dry run answers, beside what the operation does. */
type DryRunAnswer = { data: { decision: unknown; would_post: unknown } };

/** What an operation answers when it has done what it does. */
export type Answer<Operation> = Exclude<Answers<Operation>, DryRunAnswer>;
/** What it answers to a dry run: what it would do. */
export type DryRun<Operation> = Extract<Answers<Operation>, DryRunAnswer>;

type AsDryRun = { params: { query: { dry_run: true } } };
type DryRunPath<Method extends Verb> = {
  [Path in PathOf<Method>]: DryRun<paths[Path][Method]> extends never ? never : Path;
}[PathOf<Method>];

type Given<Operation> = Record<never, never> extends Init<Operation> ? [init?: Init<Operation>] : [init: Init<Operation>];

/** Calls the operations of a method by their paths in openapi.json. */
export interface Call<Method extends Verb> {
  <Path extends DryRunPath<Method>>(path: Path, init: Init<paths[Path][Method]> & AsDryRun): Promise<DryRun<paths[Path][Method]>>;
  <Path extends PathOf<Method>>(path: Path, ...init: Given<paths[Path][Method]>): Promise<Answer<paths[Path][Method]>>;
}

type Page = { data: readonly unknown[]; pagination: { has_more: boolean } };

/** The paths of lists that come in pages. */
export type ListPath = {
  [Path in PathOf<'get'>]: Answers<paths[Path]['get']> extends Page ? Path : never;
}[PathOf<'get'>];

/** One of a list. */
export type ListItem<Path extends ListPath> = Answers<paths[Path]['get']> extends { data: readonly (infer Item)[] } ? Item : never;

/** Walks through the lists of openapi.json. */
export type List = <Path extends ListPath>(path: Path, ...init: Given<paths[Path]['get']>) => AsyncIterable<ListItem<Path>>;
