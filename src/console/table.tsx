// A table that becomes a list of cards where its place is narrower than what is in it. Its roles are written out, for a browser forgets
// them when the layout is no longer that of a table.
import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface Column<Row> {
  label: string;
  /** Figures stand at the right, one below the other. */
  isFigure?: boolean;
  /** The heading is for screen readers alone, such as that of buttons. */
  isSilent?: boolean;
  render: (row: Row) => ComponentChildren;
}

export interface TableProps<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** What stands below a row while it is opened. */
  below?: (row: Row) => ComponentChildren;
  isBusy?: boolean;
}

const classOf = ({ isFigure = false }: { isFigure?: boolean }) => (isFigure ? 'figure' : undefined);

/** Lays a table out as cards while it is wider than what it stands in. Measured before anything is painted. */
function useRoom(): RefObject<HTMLTableElement | null> {
  const table = useRef<HTMLTableElement>(null);
  const layOut = () => {
    const { current } = table;
    const place = current?.parentElement;
    if (current == null || place == null) return;
    current.classList.remove('cards');
    current.classList.toggle('cards', place.scrollWidth > place.clientWidth);
  };
  // after each change of the rows
  useLayoutEffect(layOut);
  useLayoutEffect(() => {
    const place = table.current?.parentElement;
    if (place == null) return undefined;
    let width = place.clientWidth;
    const observer = new ResizeObserver(() => {
      if (place.clientWidth !== width) layOut();
      width = place.clientWidth;
    });
    observer.observe(place);
    return () => observer.disconnect();
  }, []);
  return table;
}

/** Rows below headings; the first column names the row. */
export function Table<Row>({ caption, columns, rows, keyOf, below, isBusy = false }: TableProps<Row>) {
  const table = useRoom();
  const [first, ...rest] = columns;
  if (first === undefined) return null;
  return (
    <div class="table">
      <table ref={table} role="table" aria-busy={isBusy}>
        <caption class="hidden">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th key={column.label} scope="col" role="columnheader" class={classOf(column)}>
                <span class={column.isSilent === true ? 'hidden' : undefined}>{column.label}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => {
            const more = below?.(row);
            return [
              <tr key={keyOf(row)} role="row">
                <th scope="row" role="rowheader">
                  {first.render(row)}
                </th>
                {rest.map((column) => (
                  <td
                    key={column.label}
                    role="cell"
                    class={classOf(column)}
                    data-label={column.isSilent === true ? undefined : column.label}
                  >
                    {column.render(row)}
                  </td>
                ))}
              </tr>,
              more == null ? null : (
                <tr key={`${keyOf(row)} below`} role="row" class="below">
                  <td role="cell" colSpan={columns.length}>
                    {more}
                  </td>
                </tr>
              ),
            ];
          })}
        </tbody>
      </table>
    </div>
  );
}

/** Says how many of how many are shown, and asks for more. */
export function More({
  shown,
  total,
  hasMore,
  more,
  isLoading,
}: {
  shown: number;
  total: string;
  hasMore: boolean;
  more: () => void;
  isLoading: boolean;
}) {
  return (
    <div class="more">
      <p>
        {shown} of {total} shown
      </p>
      {hasMore && (
        <button type="button" onClick={more} aria-disabled={isLoading}>
          {isLoading ? 'Loading …' : 'Show more'}
        </button>
      )}
    </div>
  );
}
