// Bodies over HTTP: what is read, and what is refused before anybody looks inside.
import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { address, call, openShop, order } from './shop-server.js';

openShop();

describe('bodies', () => {
  const json = 'application/json';
  it.each<[string, string | Uint8Array, string, number, string]>([
    ['broken JSON', '{"a":', json, 400, 'invalid_json'],
    ['a list', '[]', json, 400, 'invalid_json'],
    ['null', 'null', json, 400, 'invalid_json'],
    ['text that is not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), json, 400, 'invalid_json'],
    ['another type', '{}', 'text/plain', 415, 'unsupported_media_type'],
    ['a type like it', '{}', 'application/json-seq', 415, 'unsupported_media_type'],
    ['another charset', '{}', 'application/json; charset=iso-8859-1', 415, 'unsupported_media_type'],
    ['UTF-8 by name', '{}', 'Application/JSON; charset="UTF-8"', 400, 'validation_failed'],
    ['deep nesting', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, json, 400, 'invalid_json'],
    ['too much', JSON.stringify({ blob: 'x'.repeat(256 * 1024) }), json, 413, 'body_too_large'],
  ])('%s is refused', async (_, body, type, status, code) => {
    expect(await call('POST', '/v1/orders', body, { 'Content-Type': type })).toMatchObject({ status, body: { code } });
  });
  it('compressed ones are refused', async () => {
    expect(await call('POST', '/v1/orders', order, { 'Content-Encoding': 'gzip' })).toMatchObject({ status: 415 });
  });
  it('a batch may have 4 MiB', async () => {
    expect(await call('POST', '/v1/orders/import', { blob: 'x'.repeat(1024 * 1024) })).toMatchObject({
      status: 202,
      body: { data: { code: '1048576' } },
    });
    expect(await call('POST', '/v1/orders/import', { blob: 'x'.repeat(5 * 1024 * 1024) })).toMatchObject({ status: 413 });
  });
  it('the limit holds without a Content-Length, and the connection lives on', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(`${address()}/v1/orders`, { method: 'POST', headers: { 'Content-Type': json } }, (response) =>
        resolve(response.resume().statusCode),
      );
      request.on('error', reject);
      for (let sent = 0; sent < 40; sent++) request.write('x'.repeat(16 * 1024));
      request.end();
    });
    expect(status).toBe(413);
  });
  it('an empty one is an empty object, whatever its type', async () => {
    expect(await call('POST', '/v1/knock', '', { 'Content-Type': 'text/plain' })).toMatchObject({ status: 200, body: { code: 'come in' } });
    expect(await call('POST', '/v1/orders')).toMatchObject({
      status: 400,
      body: { fields: ['max_total is required', 'items is required'] },
    });
  });
  it('members are refused where nobody reads a body', async () => {
    expect(await call('POST', '/v1/knock', { a: 1 })).toMatchObject({ status: 400, body: { fields: ['a this request takes no body'] } });
    expect(await call('POST', '/v1/knock', {})).toMatchObject({ status: 200 });
  });
  it('a __proto__ member is refused like any other unknown one', async () => {
    const body = `{"max_total":"1","items":[{"sku":"A","quantity":1}],"__proto__":{"isGift":true}}`;
    expect(await call('POST', '/v1/orders', body)).toMatchObject({
      status: 400,
      body: { fields: ['__proto__ is not a member of this request'] },
    });
  });
});
