// How names are spelled on the wire and in the database: in snake_case, by an underscore before a capital (CONTRACT.md 0 "Bodies").

/** `maxPerTx` -> `max_per_tx`, `WebhookDelivery` -> `webhook_delivery`. `line1` stays as it is, and so does what is spelled so already. */
export function snakeCase(name: string): string {
  return name.replace(/(?!^)[A-Z]/g, (capital) => `_${capital}`).toLowerCase();
}

/** `max_per_tx` -> `maxPerTx`. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** A path of field names: `['scope', 'maxPerTx', 2]` -> `['scope', 'max_per_tx', 2]`. Printed with dots. */
export function snakePath(path: readonly (string | number)[]): (string | number)[] {
  return path.map((step) => (typeof step === 'number' ? step : snakeCase(step)));
}
