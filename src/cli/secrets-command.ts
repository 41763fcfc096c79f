// The commands about the keys that seal secrets: what there is, a new master key, a new data key, and the end of one.
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { Platform } from '../platform/ctx.js';
import { ownSecretsFile, readSecretsFile, writeSecretsFile } from '../platform/data-home.js';
import { masterKey } from '../platform/secrets/key-ring.js';
import { retire, rotateData, rotateMaster, type SecretsStatus, secretsStatus } from '../platform/secrets/rotation.js';
import { flag, ofData, say, settingsOf } from './argument.js';
import { withPlatform } from './with-platform.js';

const order = `Order: 1. the new key into SECRETS_KEY and the one of before into SECRETS_KEYS_OLD, in every process, one after the other.
2. secrets rotate. 3. SECRETS_KEYS_OLD empty in every process. 4. secrets retire with the name of the key of before.`;

function linesOf({ masters, dataKeys, unknownKeys, processes }: SecretsStatus): string[] {
  return [
    ...masters.map(({ name, inSettings, wraps }) => `master ${name}  wraps ${wraps} data keys${inSettings ? '' : ', not in the settings'}`),
    ...dataKeys.map(({ id, state, masters: under, isOpen, sealed }) => {
      const values = Object.entries(sealed).map(([column, count]) => `${column} ${count}`);
      const what = values.length === 0 ? '' : `, seals ${values.join(', ')}`;
      return `data key ${id}  ${state}, under ${under.join(', ')}${isOpen ? '' : ', CANNOT BE OPENED'}${what}`;
    }),
    ...unknownKeys.map((id) => `data key ${id}  MISSING: values name it`),
    ...processes.map(
      ({ id, role, version, unseen, keyIds }) => `process ${id}  ${role} ${version}, seen ${unseen} s ago, knows ${keyIds.join(', ')}`,
    ),
  ];
}

async function showStatus(platform: Platform, asJson: boolean): Promise<void> {
  const status = await secretsStatus(platform);
  say(asJson ? JSON.stringify(status) : linesOf(status).join('\n'));
  if (status.unknownKeys.length > 0 || status.dataKeys.some(({ isOpen }) => !isOpen)) process.exitCode = 1;
}

export const secretsCommands = {
  'secrets status': async (args: string[]) => {
    const { values } = parseArgs({ args, options: { ...ofData, json: flag } });
    await withPlatform(settingsOf(values), (platform) => showStatus(platform, values.json === true));
  },
  'secrets rotate': async (args: string[]) => {
    const { values } = parseArgs({ args, options: { ...ofData, data: flag, json: flag } });
    const config = settingsOf(values);
    const answer = (content: object, text: string) => say(values.json ? JSON.stringify(content) : text);
    if (values.data === true) {
      await withPlatform(config, async (platform) => {
        const id = await rotateData(platform, (text) => void process.stderr.write(`${text}\n`));
        answer(
          { data_key: id },
          `The data key ${id} seals from now on. Workers seal again what older ones have sealed: secrets status shows how far.`,
        );
      });
      return;
    }
    const file = ownSecretsFile(config);
    if (file === null) {
      await withPlatform(config, async (platform) => {
        const name = await rotateMaster(platform);
        answer({ master: name }, `Every data key is wrapped under ${name} too.\n${order}`);
      });
      return;
    }
    const before = await readSecretsFile(file);
    const made = randomBytes(32).toString('hex');
    await withPlatform({ ...config, secretsKey: made, secretsKeysOld: before }, async (platform) => {
      const name = await rotateMaster(platform);
      await writeSecretsFile(file, [made, ...before]);
      answer(
        { master: name, file },
        `${file} has a new key, ${name}. Restart the server, then: secrets retire ${masterKey(before[0] ?? '').name}`,
      );
    });
  },
  'secrets retire': async (args: string[]) => {
    const { values, positionals } = parseArgs({ args, options: { ...ofData, force: flag, json: flag }, allowPositionals: true });
    const [key] = positionals;
    if (key === undefined) throw new Error('name the key: secrets status lists them');
    const config = settingsOf(values);
    const file = ownSecretsFile(config);
    await withPlatform(config, async (platform) => {
      const said = await retire(platform, key, values.force === true);
      if (file !== null)
        await writeSecretsFile(
          file,
          (await readSecretsFile(file)).filter((hex) => masterKey(hex).name !== key),
        );
      say(values.json ? JSON.stringify({ retired: key }) : said);
    });
  },
} satisfies Record<string, (args: string[]) => Promise<void>>;
