// What the endpoints of /oauth and the authorization server behind them tell each other: a request without its server, and a whole answer.

export interface OAuthRequest {
  /** The address of the listener, without a slash at the end. */
  issuer: string;
  method: 'GET' | 'POST';
  /** Without the path of the issuer. */
  path: string;
  query: URLSearchParams;
  cookie: string;
  contentType: string;
  accept: string;
  body: Buffer;
  /** Where the caller is. */
  ip: string;
}

export interface OAuthAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[]>>;
  body: Buffer;
}
