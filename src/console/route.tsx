// Which page is shown: `/console/payments` or `/console/payments/{id}`, so that each page has an address of its own and the browser's
// buttons work. What is filtered stands in the query of the address.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

const root = '/console';
const moved = new EventTarget();

export interface Place {
  /** Empty for the first page. */
  page: string;
  id: string | undefined;
  query: Readonly<Record<string, string>>;
}

function placeNow(): Place {
  const [page = '', id] = location.pathname.slice(root.length).split('/').filter(Boolean).map(decodeURIComponent);
  return { page, id, query: Object.fromEntries(new URLSearchParams(location.search)) };
}

/** Where the browser is. */
export function usePlace(): Place {
  const [place, setPlace] = useState(placeNow);
  useEffect(() => {
    const look = () => setPlace(placeNow());
    addEventListener('popstate', look);
    moved.addEventListener('move', look);
    return () => {
      removeEventListener('popstate', look);
      moved.removeEventListener('move', look);
    };
  }, []);
  return place;
}

type Query = Readonly<Record<string, string | undefined>>;

/** The address of a page; what is empty in `query` is left out. */
export function addressOf(page: string, query: Query = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '');
  const search = new URLSearchParams(given).toString();
  return `${page === '' ? root : `${root}/${page}`}${search === '' ? '' : `?${search}`}`;
}

/** Goes to a page without loading the document again. `replace` leaves no step to go back to. */
export function go(address: string, { replace = false } = {}): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', address);
  moved.dispatchEvent(new Event('move'));
}

export interface PageLinkProps {
  page: string;
  query?: Query;
  isCurrent?: boolean;
  children: ComponentChildren;
}

/** A link to a page of the console. */
export function PageLink({ page, query, isCurrent = false, children }: PageLinkProps) {
  const href = addressOf(page, query);
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(href);
  };
  return (
    <a href={href} onClick={follow} aria-current={isCurrent ? 'page' : undefined}>
      {children}
    </a>
  );
}
