// Where something stands in a document, as protocols say it: JSONPath (RFC 9535).

/** `$.line_items[0].id` of its steps. */
export function jsonPath(steps: readonly (string | number)[]): string {
  const step = (key: string | number) => {
    if (typeof key === 'number') return `[${key}]`;
    return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? `.${key}` : `['${key.replace(/[\\']/g, '\\$&')}']`;
  };
  return `$${steps.map(step).join('')}`;
}
