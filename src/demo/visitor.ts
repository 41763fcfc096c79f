// A person at a browser, as far as the platform meets it: cookies, the token of the session, and the page that a request comes from.
import { randomBytes } from 'node:crypto';
import type { Json, Teller } from './teller.js';

export class Visitor {
  readonly name: string;
  readonly email: string;
  /** Known to nobody, not even to who reads the demo. */
  readonly password = randomBytes(24).toString('base64url');
  readonly #teller: Teller;
  readonly #cookies = new Map<string, string>();
  #csrf = '';

  constructor(teller: Teller, name: string) {
    this.#teller = teller;
    this.name = name;
    this.email = `${name.toLowerCase()}@example.com`;
  }

  /** Sends a request of the page. */
  async ask(title: string, method: string, path: string, body?: unknown, expected?: number): Promise<Json> {
    const { url } = this.#teller;
    const headers = {
      Cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(method !== 'GET' && { Origin: new URL(url).origin, 'X-CSRF-Token': this.#csrf }),
    };
    const answer = await this.#teller.ask(title, method, path, null, body, headers, expected, (reply) => this.#keep(reply.headers));
    if (typeof answer?.['data']?.csrf_token === 'string') this.#csrf = answer['data'].csrf_token;
    return answer;
  }

  /** Runs a GraphQL operation. */
  async run(title: string, query: string, variables: object): Promise<Json> {
    const { data, errors } = await this.ask(title, 'POST', '/graphql', { query, variables });
    if (errors !== undefined) throw new Error(`GraphQL refused: ${JSON.stringify(errors)}`);
    return data;
  }

  /** Opens an address as a page; where it leads on. */
  async open(title: string, address: string): Promise<string | null> {
    const path = address.slice(new URL(address).origin.length);
    let leadsTo: string | null = null;
    const headers = { Accept: 'text/html', Cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
    await this.#teller.page(title, path, headers, (reply) => {
      this.#keep(reply.headers);
      leadsTo = reply.headers.get('Location');
    });
    return leadsTo;
  }

  #keep(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ');
      const at = pair.indexOf('=');
      if (attributes.includes('Max-Age=0')) this.#cookies.delete(pair.slice(0, at));
      else this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
  }
}
