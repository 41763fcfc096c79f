// What a move says that is not made.

/** A move that cannot be made now, or the two cells hold different rows. The tenant stays where it is. */
export class MoveRefused extends Error {
  override name = 'MoveRefused';
}

/** What a failure says. That of a connection has its words in its parts. */
export const messageOf = (error: unknown): string => {
  const [part] = error instanceof AggregateError ? error.errors : [error];
  return part instanceof Error ? part.message : String(part);
};
