// A database that was put back to an earlier state signs nothing that could contradict what was signed before.
import { beforeAll, describe, expect, it } from 'vitest';
import { currentLog } from '../../../src/contexts/evidence/head.js';
import { headInLog, resumeLog } from '../../../src/contexts/evidence/kept-head.js';
import { renewLog, rotateKey } from '../../../src/contexts/evidence/renewal.js';
import { canonicalJson } from '../../../src/platform/canonical-json.js';
import { workspaceOf } from '../../../src/platform/ctx.js';
import { systemCtx } from '../../../src/platform/due/step.js';
import { verifyPack } from '../../../verify/src/verify.js';
import { transferBody, twoWallets } from '../../factories/payment.js';
import { type Json, useHarness } from '../../harness.js';
import { saveWorld } from '../../saved-world.js';

const h = useHarness();
let restore: () => Promise<void>;
const heads: string[] = [];

const account = () => h.test.make('/v1/accounts', { type: 'business', name: 'One more' });
const head = async () => (await h.test.get('/v1/evidence/head')).body.data;
async function logOf() {
  const where = { tenantId_environment: { tenantId: h.tenantId, environment: 'test' as const } };
  const workspace = workspaceOf(await h.platform.database.unscoped.workspace.findUniqueOrThrow({ where }));
  const ctx = systemCtx(h.platform, workspace, { action: 'resumeEvidence' });
  return { ctx, log: await currentLog(ctx) };
}

beforeAll(async () => {
  await account();
  heads.push((await head()).checkpoint);
  restore = await saveWorld(h.platform);
  await account();
  heads.push((await head()).checkpoint);
  await restore();
});

describe('a database that was put back', () => {
  it('409: halts the log before another head is signed, and goes on paying', async () => {
    await account();
    const refused = await h.test.get('/v1/evidence/head');
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: 'state_conflict', details: { reason: 'log_halted', terminal: true } });
    expect((await h.test.get('/v1/evidence')).body.data).toMatchObject({ state: 'halted', reason: 'memory_ahead' });
    const [event] = (await h.test.get('/v1/events?type=evidence.halted')).body.data;
    expect(event.data).toMatchObject({ reason: 'memory_ahead' });
    expect(event.data.known_size).toBeGreaterThan(event.data.tree_size);
    expect((await h.test.post('/v1/accounts', { type: 'business', name: 'After' })).status).toBe(201);
  });

  it('200: heads and proofs of before can be read', async () => {
    const size = Number(heads[0]?.split('\n')[1]);
    expect((await h.test.get(`/v1/evidence/head?tree_size=${size}`)).body.data.checkpoint).toBe(heads[0]);
    expect((await h.test.get(`/v1/evidence/leaves/0?tree_size=${size}`)).status).toBe(200);
  });

  it('is not resumed: the newest head is none of its tree, and the memory knows of a newer one than the older', async () => {
    const { ctx, log } = await logOf();
    await expect(headInLog(ctx, log, heads[0] as string)).resolves.toMatchObject({ logId: log.id });
    await expect(resumeLog(ctx, log, heads[1] as string)).rejects.toThrow(/what came after them is lost|another root/);
    await expect(resumeLog(ctx, log, heads[0] as string)).rejects.toThrow('The memory knows of a head with');
    await expect(resumeLog(ctx, log, (heads[0] as string).replace('\n', '\n1'))).rejects.toThrow('is no checkpoint');
  });

  it('ends, and another log begins over what is left, which says what it continues', async () => {
    const { ctx, log } = await logOf();
    await expect(renewLog(ctx, log, 'no checkpoint')).rejects.toThrow('is no checkpoint');
    const { found, known } = await renewLog(ctx, log, heads[1] as string);
    expect(known).toBe(BigInt(heads[1]?.split('\n')[1] ?? 0));
    expect((await h.test.get('/v1/evidence')).body.data).toMatchObject({ state: 'open', continues: `log_${log.id}` });
    const { tree_size: size, checkpoint } = await head();
    expect(size).toBe(Number(found) + 1);
    expect(checkpoint.split('\n')[0]).not.toBe(log.origin);
    const leaf = (await h.test.get(`/v1/evidence/leaves/${size - 1}`)).body.data;
    const said = leaf.disclosures.map((text: string) => JSON.parse(Buffer.from(text, 'base64url').toString()));
    expect(said.find(([, name]: string[]) => name === 'outcome')[2]).toMatchObject({ log_id: `log_${log.id}`, known_size: Number(known) });
    await expect(renewLog(ctx, log, null)).rejects.toThrow('Somebody else');
  });

  it('proves a payment whose receipt was signed before', async () => {
    const { from, to } = await twoWallets(h.test);
    const { id } = await h.test.make('/v1/transfers', transferBody(from, to, '4.00'));
    const { ctx, log } = await logOf();
    expect((await h.test.get(`/v1/transfers/${id}/receipt`)).status).toBe(200);
    await renewLog(ctx, log, null);
    const pack = (await h.test.get(`/v1/transfers/${id}/evidence`)).body;
    expect(pack.log).toMatchObject({ continues: log.origin });
    expect(verifyPack(JSON.stringify(pack))).toMatchObject({ outcome: 'own' });
    const strange = { ...pack, log: { ...pack.log, continues: null } };
    expect(verifyPack(canonicalJson(strange))).toMatchObject({ outcome: 'broken', leg: 'receipt' });
  });

  it('is signed by two keys for 30 days after a key was rotated, and by the new one then', async () => {
    const { ctx, log } = await logOf();
    const before = (await h.test.get('/v1/evidence')).body.data.vkeys[0].vkey;
    const vkey = await rotateKey(ctx, log);
    const signers = ({ checkpoint }: Json) => checkpoint.split('\n').filter((line: string) => line.startsWith('— ')).length;
    expect(signers(await head())).toBe(2);
    expect((await h.test.get('/v1/evidence')).body.data.vkeys.map((key: Json) => key.vkey)).toEqual([before, vkey]);
    h.clock.advance(31 * 86_400);
    await account();
    expect(signers(await head())).toBe(1);
  });
});
