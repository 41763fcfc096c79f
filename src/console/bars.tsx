// Columns over time of one kind, with the same as a table below: for figures that need no legend.
import type { ComponentChildren } from 'preact';

export interface BarRow {
  key: string;
  /** Of the column, for the table. */
  label: string;
  /** From 0 to 1: how high the column is, and the part of it that went wrong. */
  height: number;
  bad?: number;
  /** The cells of its row. */
  cells: readonly ComponentChildren[];
}

export interface BarsProps {
  title: string;
  /** The headings of the table: of the time first. */
  headings: readonly string[];
  rows: readonly BarRow[];
  /** A figure for all of it, and what it says. */
  readout: readonly [figure: string, text: string];
}

/** The picture, and its table. */
export function Bars({ title, headings: [time, ...others], rows, readout: [figure, text] }: BarsProps) {
  return (
    <div class="chart">
      <p class="readout">
        <strong>{figure}</strong>
        <span>{text}</span>
      </p>
      <div class="bars" role="img" aria-label={`${title}. The table below has every figure.`}>
        {rows.map(({ key, height, bad = 0 }) => (
          <span key={key} class="bar" style={{ height: `${Math.max(height * 100, height > 0 ? 3 : 0)}%` }}>
            <span class="bad" style={{ height: `${bad * 100}%` }} />
          </span>
        ))}
      </div>
      <p class="bar-ends hint" aria-hidden="true">
        <span>{rows[0]?.label}</span>
        <span>{rows.at(-1)?.label}</span>
      </p>
      <details>
        <summary>Show as a table</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard */}
        <section class="scroll" tabIndex={0} aria-label={`${title} as a table`}>
          <table>
            <caption class="hidden">{title}</caption>
            <thead>
              <tr>
                <th scope="col">{time}</th>
                {others.map((heading) => (
                  <th key={heading} scope="col" class="figure">
                    {heading}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {[...rows].reverse().map(({ key, label, cells }) => (
                <tr key={key}>
                  <th scope="row">{label}</th>
                  {cells.map((cell, place) => (
                    <td key={others[place]} class="figure">
                      {cell}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </div>
  );
}
