// What events are called: by their types, but for those that another protocol writes.

const names: Readonly<Record<string, string>> = { '_ucp.order.changed': 'Order by UCP' };

/** The name of an event, by its type. */
export function eventName(type: string): string {
  return names[type] ?? type;
}

/** True where another protocol writes what is sent: it is not the event. */
export function isWrittenElsewhere(type: string): boolean {
  return type in names;
}
