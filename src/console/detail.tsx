// What every page of one thing is made of: what it is called, and the way back.
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Answers, Variables } from './answers.js';
import type { Operation } from './api.js';
import { States } from './panel.js';
import { type Query, useQuery } from './query.js';
import { PageLink } from './route.js';

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
