// Reads for components: an answer that is kept while it is asked for again, so that nothing jumps, and lists that grow page by page.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Answers, Variables } from './answers.js';
import { ask, asRefusal, type Operation, type Refusal } from './api.js';

const changes = new EventTarget();

/** Something was changed by this page: everything that is shown is read again at once. */
export function changed(): void {
  changes.dispatchEvent(new Event('change'));
}

export interface Asked {
  error: Refusal | undefined;
  isLoading: boolean;
  refresh: () => void;
}

export interface Query<Answer> extends Asked {
  data: Answer | undefined;
}

interface Options {
  /** Seconds after which it is asked again, while the page is seen. */
  every?: number;
  /** Instead of the session, for what takes the key itself. */
  apiKey?: string;
}

interface State<Answer> {
  key?: string;
  data?: Answer;
  error?: Refusal | undefined;
}

/** Runs `task` now, when `key` changes, when it is told to, and every so many seconds while somebody looks. */
function useTask<Answer>(key: string, task: (signal: AbortSignal) => Promise<Answer>, { every }: Options): Query<Answer> {
  const [state, setState] = useState<State<Answer>>({});
  const [turn, setTurn] = useState(0);
  const latest = useRef(task);
  latest.current = task;
  const underWay = useRef(false);
  const again = useRef(false);
  // A slow answer is waited for: asking anew each time would never get one.
  const refresh = useCallback(() => {
    if (underWay.current) again.current = true;
    else setTurn((before) => before + 1);
  }, []);

  // the key and the turn are what it is asked for
  useEffect(() => {
    const control = new AbortController();
    underWay.current = true;
    again.current = false;
    const settle = (change: (before: State<Answer>) => State<Answer>) => {
      if (control.signal.aborted) return;
      underWay.current = false;
      setState(change);
      if (again.current) refresh();
      again.current = false;
    };
    latest.current(control.signal).then(
      (data) => settle(() => ({ key, data, error: undefined })),
      (error: unknown) => settle((before) => ({ ...before, key, error: asRefusal(error) })),
    );
    return () => control.abort();
  }, [key, turn, refresh]);

  useEffect(() => {
    if (every === undefined) return undefined;
    const look = () => document.visibilityState === 'visible' && refresh();
    const timer = setInterval(look, every * 1000);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [every, refresh]);

  useEffect(() => {
    changes.addEventListener('change', refresh);
    return () => changes.removeEventListener('change', refresh);
  }, [refresh]);

  return { data: state.data, error: state.key === key ? state.error : undefined, isLoading: state.key !== key, refresh };
}

/** The answer of a query. While its variables change, the answer before stays. */
export function useQuery<Name extends Operation>(name: Name, variables: Variables[Name], options: Options = {}): Query<Answers[Name]> {
  return useTask(`${name} ${JSON.stringify(variables)}`, (signal) => ask(name, variables, { signal, apiKey: options.apiKey }), options);
}

/** A page of a list, as it is answered. */
export interface Page<Node> {
  nodes: readonly Node[];
  pagination: { total: number; totalIsMinimum: boolean | null; hasMore: boolean; nextCursor: string | null };
}

export interface List<Node> extends Asked {
  nodes: readonly Node[] | undefined;
  /** How many there are, as people say it. */
  total: string;
  hasMore: boolean;
  more: () => void;
}

/** A list: its first page, and one more each time that `more` is called. */
export function useList<Name extends Operation, Node>(
  name: Name,
  variables: Omit<Variables[Name], 'after'>,
  pageOf: (answer: Answers[Name]) => Page<Node>,
  options: Options = {},
): List<Node> {
  const filter = JSON.stringify(variables);
  const [wanted, setWanted] = useState({ filter, pages: 1 });
  const pages = wanted.filter === filter ? wanted.pages : 1;
  const read = async (signal: AbortSignal) => {
    const nodes: Node[] = [];
    let last: Page<Node> | undefined;
    for (let page = 0; page < pages && (page === 0 || last?.pagination.hasMore); page += 1) {
      const after = last === undefined ? {} : { after: last.pagination.nextCursor };
      last = pageOf(await ask(name, { ...variables, ...after } as Variables[Name], { signal, apiKey: options.apiKey }));
      nodes.push(...last.nodes);
    }
    return { nodes, pagination: last?.pagination };
  };
  const { data, error, isLoading, refresh } = useTask(`${name} ${filter} ${pages}`, read, options);
  const { total = 0, totalIsMinimum, hasMore = false } = data?.pagination ?? {};
  const more = () => setWanted({ filter, pages: pages + 1 });
  return { nodes: data?.nodes, total: `${total}${totalIsMinimum === true ? '+' : ''}`, hasMore, more, error, isLoading, refresh };
}
