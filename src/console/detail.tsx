// What every page of one thing is made of: facts with their names, ids, and the way back.
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Answers, Variables } from './answers.js';
import type { Operation } from './api.js';
import { moment } from './format.js';
import { States } from './panel.js';
import { type Query, useQuery } from './query.js';
import { PageLink } from './route.js';

/** A name and what stands there; nothing is shown of what is null. */
export type Fact = readonly [label: string, value: ComponentChildren];

/** Facts, one beside the other. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** An id, to be read and copied. */
export function Id({ value }: { value: string }) {
  return <code class="id">{value}</code>;
}

/** A date and a time, or nothing. */
export const when = (at: string | null) => (at === null ? null : moment(at));

/** Text of JSON, for people. */
export function Json({ value }: { value: unknown }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard
    <pre class="json" tabIndex={0}>
      {JSON.stringify(value, null, 2)}
    </pre>
  );
}

export interface DetailProps<Name extends Operation> {
  /** What it is, as in "Loading the payment". */
  what: string;
  back: { page: string; title: string };
  query: Name;
  variables: Variables[Name];
  /** What it is called, for the title of the window. */
  nameOf: (answer: Answers[Name]) => string;
  every?: number;
  children: (answer: Answers[Name], asked: Query<Answers[Name]>) => ComponentChildren;
}

/** A page of one thing. */
export function Detail<Name extends Operation>({ what, back, query, variables, nameOf, every = 30, children }: DetailProps<Name>) {
  const asked = useQuery(query, variables, { every });
  const name = asked.data === undefined ? undefined : nameOf(asked.data);
  useEffect(() => {
    if (name !== undefined) document.title = `${name} · Agent Payments`;
  }, [name]);
  return (
    <>
      <p class="back">
        <PageLink page={back.page}>All {back.title}</PageLink>
      </p>
      <States asked={asked} what={what} isLoaded={asked.data !== undefined}>
        {asked.data !== undefined && children(asked.data, asked)}
      </States>
    </>
  );
}
