// The events of connections (CONTRACT.md 22).
import { z } from 'zod';
import { exampleId, exampleTime, id, time } from '../../events/data.js';
import { declareEvents } from '../../events/declaration.js';
import { text } from '../../events/personal.js';

const data = z.strictObject({
  connection_id: id('cnx'),
  agent_id: id('agt'),
  member_id: id('mem'),
  client_name: text,
  redirect_host: text,
  expires_at: time,
});
const example = {
  connection_id: exampleId('cnx'),
  agent_id: exampleId('agt'),
  member_id: exampleId('mem'),
  client_name: 'Claude',
  redirect_host: 'claude.ai',
  expires_at: exampleTime,
};

export const { events, emit } = declareEvents({
  'connection.created': { description: 'program connected to an agent', data, subject: 'connection_id', example },
  'connection.revoked': { description: 'connection ended before its time', data, subject: 'connection_id', example },
});
