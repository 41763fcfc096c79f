// What the command line says of a refusal.

/** What is read of an error of the platform. */
export interface Refusal {
  error: string;
  details?: { fields?: readonly { path: string; message: string }[]; required_scope?: string } | undefined;
}

/** The sentence of a refusal, each wrong member below it, and the command that makes a key which may do it. */
export function refusalText({ error, details }: Refusal): string {
  const lines = [error, ...(details?.fields ?? []).map(({ path, message }) => `  ${path} ${message}`)];
  const { required_scope: scope } = details ?? {};
  if (scope !== undefined) lines.push(`A key that may: cli key create --tenant ID --environment test --scopes ${scope}`);
  return lines.join('\n');
}
