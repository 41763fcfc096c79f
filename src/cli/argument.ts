// What commands say, and how they read their arguments.

export const say = (text: string): void => void process.stdout.write(`${text}\n`);

export const text = { type: 'string' } as const;
export const flag = { type: 'boolean' } as const;

/** The value of an option that must be given. */
export function required(value: string | undefined, option: string): string {
  if (value === undefined || value === '') throw new Error(`--${option} is required; see --help`);
  return value;
}
