// Which page is shown: the last part of the path, so that each page has an address of its own and the browser's buttons work.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

const root = '/console';
const moved = new EventTarget();

function pageOf(path: string): string {
  return path.slice(root.length).replace(/^\/+|\/+$/g, '');
}

/** The name of the page; empty for the first one. */
export function usePage(): string {
  const [page, setPage] = useState(() => pageOf(location.pathname));
  useEffect(() => {
    const look = () => setPage(pageOf(location.pathname));
    addEventListener('popstate', look);
    moved.addEventListener('move', look);
    return () => {
      removeEventListener('popstate', look);
      moved.removeEventListener('move', look);
    };
  }, []);
  return page;
}

export interface PageLinkProps {
  page: string;
  isCurrent?: boolean;
  children: ComponentChildren;
}

/** A link to a page of the console, which does not load the document again. */
export function PageLink({ page, isCurrent = false, children }: PageLinkProps) {
  const href = page === '' ? root : `${root}/${page}`;
  const go = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    history.pushState(null, '', href);
    moved.dispatchEvent(new Event('move'));
  };
  return (
    <a href={href} onClick={go} aria-current={isCurrent ? 'page' : undefined}>
      {children}
    </a>
  );
}
