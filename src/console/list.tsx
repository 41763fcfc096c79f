// What every list page is made of: its filters, its table, and what stands there while it loads, when it fails and when it is empty.
import type { ComponentChildren } from 'preact';
import type { Answers, Variables } from './answers.js';
import type { Operation } from './api.js';
import { type Chosen, FilterBar, type FilterSpec, useFilters } from './filter.js';
import { Empty, Panel, States } from './panel.js';
import { type List, type Page, useList } from './query.js';
import { type Column, More, Table } from './table.js';

export interface ListPanelProps<Name extends Operation, Node extends { id: string }> {
  title: string;
  /** What is listed, as in "Loading agents". */
  what: string;
  query: Name;
  /** The variables that the filters do not choose; or those that are made of what they chose. */
  variables?: Omit<Variables[Name], 'after'> | ((chosen: Chosen) => Omit<Variables[Name], 'after'>);
  pageOf: (answer: Answers[Name]) => Page<Node>;
  filters?: readonly FilterSpec[];
  columns: readonly Column<Node>[] | ((list: List<Node>) => readonly Column<Node>[]);
  /** What to do where there is nothing at all. */
  empty: { title: string; children: ComponentChildren };
  tools?: ComponentChildren | ((list: List<Node>) => ComponentChildren);
  /** Above the table, where there are rows. */
  above?: (list: List<Node>) => ComponentChildren;
  /** What stands below a row while it is opened. */
  below?: (row: Node) => ComponentChildren;
  /** Instead of the table. */
  show?: (list: List<Node>) => ComponentChildren;
  /** Seconds after which it is read again. */
  every?: number;
}

const noFilters: readonly FilterSpec[] = [];

/** A list of a page, or of a part of one. */
export function ListPanel<Name extends Operation, Node extends { id: string }>(props: ListPanelProps<Name, Node>) {
  const { title, what, query, variables, pageOf, filters = noFilters, columns, empty, tools, above, below, show, every = 30 } = props;
  const chosen = useFilters(filters);
  const given = typeof variables === 'function' ? variables(chosen) : { ...chosen, ...variables };
  const list = useList<Name, Node>(query, given as Omit<Variables[Name], 'after'>, pageOf, { every });
  const rows = list.nodes ?? [];
  const isFiltered = Object.keys(chosen).length > 0;
  return (
    <Panel title={title} tools={typeof tools === 'function' ? tools(list) : tools}>
      {filters.length > 0 && <FilterBar specs={filters} />}
      <States asked={list} what={what} isLoaded={list.nodes !== undefined}>
        {rows.length === 0 ? (
          <Empty title={isFiltered ? `No ${what} match these filters.` : empty.title}>{empty.children}</Empty>
        ) : (
          <>
            {above?.(list)}
            {show?.(list) ?? (
              <Table
                caption={title}
                columns={typeof columns === 'function' ? columns(list) : columns}
                rows={rows}
                keyOf={({ id }) => id}
                {...(below && { below })}
                isBusy={list.isLoading}
              />
            )}
            <More shown={rows.length} {...list} />
          </>
        )}
      </States>
    </Panel>
  );
}
