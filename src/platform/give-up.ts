// The end of a program that cannot go on.

/** Says why a program cannot go on, in one message, and ends the process. */
export function giveUp(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
