// One list of what arrives by a stream and of what was read beside it.

/** Each row once and no more than `most`, newest first as ids are: what was missed while the stream was away finds its place. */
export function newest<Row extends { id: string }>(most: number, ...lists: readonly (readonly Row[])[]): readonly Row[] {
  const byId = new Map(lists.flat().map((row) => [row.id, row]));
  return [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, most);
}
