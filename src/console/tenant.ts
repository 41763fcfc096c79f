// The tenants in which the sign-in of this tab holds: their ids and names, for the page that lets one switch.

export interface TenantName {
  id: string;
  name: string;
}

const place = 'console.tenants';

/** Keeps what the sign-in said, as long as the tab. */
export function rememberTenants(tenants: readonly TenantName[]): void {
  try {
    sessionStorage.setItem(place, JSON.stringify(tenants));
  } catch {
    // They are asked for at the next sign-in.
  }
}

/** The tenants that the last sign-in of this tab named. */
export function knownTenants(): readonly TenantName[] {
  try {
    return JSON.parse(sessionStorage.getItem(place) ?? '[]') as readonly TenantName[];
  } catch {
    return [];
  }
}
