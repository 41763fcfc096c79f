// What processes ask each other (src/platform/processes/line.ts), over a real channel.
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { afterEach, expect, it } from 'vitest';
import { Line } from '../../../src/platform/processes/line.js';

const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

/** The two ends of a line, and how many messages were sent over it. */
function openLine(answerers: ConstructorParameters<typeof Line>[1]): { near: Line; far: Line; sent: () => number } {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  let sent = 0;
  const over = (port: MessagePort) => (message: object) => {
    sent += 1;
    port.postMessage(message);
  };
  const [near, far] = [new Line(over(port1)), new Line(over(port2), answerers)];
  port1.on('message', (message) => near.hear(message));
  port2.on('message', (message) => far.hear(message));
  return { near, far, sent: () => sent };
}

it('answers, in one message each way, what is asked together', async () => {
  const { near, sent } = openLine({ double: (n: number) => n * 2, later: async (n: number) => n + 1 });
  expect(await Promise.all([near.ask('double', 4), near.ask('later', 1), near.ask('double', 5)])).toEqual([8, 2, 10]);
  expect(sent()).toBe(2);
});

it('hears in order what is asked and what is told', async () => {
  const heard: unknown[] = [];
  const { near } = openLine({ note: (body: unknown) => void heard.push(body) });
  near.tell('note', 1);
  const asked = near.ask('note', 2);
  near.tell('note', 3);
  await asked;
  expect(heard).toEqual([1, 2, 3]);
});

it('hands on what an answerer throws', async () => {
  const { near } = openLine({
    fail: () => {
      throw new Error('no such thing');
    },
  });
  await expect(near.ask('fail')).rejects.toThrow('no such thing');
});

it('says that nobody answers yet, which is no answer', async () => {
  const { near, far } = openLine({});
  await expect(near.ask('word')).rejects.toThrow('nobody answers word yet');
  far.answer('word', () => 'here');
  expect(await near.ask('word')).toBe('here');
});

it('gives up on who says nothing, and on who has ended', async () => {
  const { near, far } = openLine({ hang: () => new Promise(() => {}), word: () => 'here' });
  await expect(near.ask('hang', null, 5)).rejects.toThrow('gives no answer');
  // A late answer, or one to nobody, harms nothing.
  expect(await near.ask('word')).toBe('here');
  const hanging = near.ask('hang');
  near.close();
  await expect(hanging).rejects.toThrow('has ended');
  await expect(near.ask('word')).rejects.toThrow('has ended');
  far.close();
});

it('takes no notice of the messages of others', () => {
  const { near } = openLine({});
  for (const message of [null, 'text', 7, {}, { type: 'prom-client:getMetricsReq' }]) expect(() => near.hear(message)).not.toThrow();
});
