// The commands that are there without a server: how each is called, and what it is for. administration.ts does what they say.
import type { administration } from './administration.js';

/** How a command is called, and what for. */
export interface CommandHelp {
  usage: string;
  about: string;
}

export const databaseCommands: Readonly<Record<keyof typeof administration, CommandHelp>> = {
  migrate: {
    usage: 'migrate [--plan] [--json] [--data-dir DIR]',
    about: 'apply the pending migrations; --plan lists them, of which kind they are and which locks they take, and changes nothing',
  },
  'tenant create': {
    usage: 'tenant create --name NAME [--cell NAME] [--json] [--data-dir DIR]',
    about: 'make a tenant with a live and a test key, shown once; in the emptiest cell by default',
  },
  'tenant move': {
    usage: 'tenant move ID --to CELL [--dry-run] | tenant move ID --resume|--abort [--data-dir DIR]',
    about: 'take a tenant to another cell while it goes on; --resume goes on with a move, --abort gives it up',
  },
  'cell add': {
    usage: 'cell add --name NAME --url URL [--data-dir DIR]',
    about: 'take another PostgreSQL in, after it has proved that it can hold tenants',
  },
  'cell set-url': {
    usage: 'cell set-url NAME --url URL [--data-dir DIR]',
    about: 'say where a cell is now, as after a failover; processes go there at once',
  },
  'cell list': {
    usage: 'cell list [--json] [--data-dir DIR]',
    about: 'show the cells with their tenants, bytes and transfers',
  },
  'cell drain': {
    usage: 'cell drain NAME [--undo] [--data-dir DIR]',
    about: 'let a cell take no new tenants',
  },
  'cell remove': {
    usage: 'cell remove NAME [--data-dir DIR]',
    about: 'take a cell without tenants from the list',
  },
  'directory check': {
    usage: 'directory check [--data-dir DIR]',
    about: 'compare the directory with what is in the cells',
  },
  'tenant limits': {
    usage: 'tenant limits --tenant ID [--actor N] [--workspace N] [--reset] [--environment test|live] [--json] [--data-dir DIR]',
    about: 'show or change the requests a minute of each actor of a tenant, and of all of them together; --reset: as for everybody',
  },
  'key create': {
    usage: 'key create --tenant ID --environment test|live [--name NAME] [--scopes A,B] [--ips CIDR,CIDR] [--json] [--data-dir DIR]',
    about: 'make another API key, shown once; --scopes says what it may do, --ips from where',
  },
  'key revoke': {
    usage: 'key revoke ID --tenant ID --environment test|live [--data-dir DIR]',
    about: 'revoke an API key at once',
  },
  'connection list': {
    usage: 'connection list --tenant ID --environment test|live [--json] [--data-dir DIR]',
    about: 'list the programs that were connected to agents, the newest first',
  },
  'connection revoke': {
    usage: 'connection revoke ID --tenant ID --environment test|live [--data-dir DIR]',
    about: 'revoke a connection at once',
  },
  'secrets status': {
    usage: 'secrets status [--json] [--data-dir DIR]',
    about: 'show the keys that seal secrets, what each has sealed, and which processes know which',
  },
  'secrets rotate': {
    usage: 'secrets rotate [--data] [--json] [--data-dir DIR]',
    about: 'wrap the data keys under SECRETS_KEY too; --data: make a new data key, under which everything is sealed again',
  },
  'secrets retire': {
    usage: 'secrets retire KEY [--force] [--json] [--data-dir DIR]',
    about: 'take a master key away, or a data key that seals nothing',
  },
  'rails doctor': {
    usage: 'rails doctor [RAIL] [--json] [--data-dir DIR]',
    about: 'look whether the rails of RAILS_FILE are in order: it moves no money; exit 1 where something is wrong',
  },
  'rails status': {
    usage: 'rails status [RAIL] [--json] [--data-dir DIR]',
    about: 'show whether rails are on, what of their limits was used today, and what is open',
  },
  'rails prove': {
    usage: 'rails prove [RAIL] [--json] [--data-dir DIR]',
    about:
      'compare what rails hold outside with the ledger, to the smallest unit; exit 1 where it differs, 2 where that could not be found out',
  },
  'rails on': {
    usage: 'rails on RAIL [--reason TEXT] [--force] [--yes] [--json] [--data-dir DIR]',
    about: 'let a rail take orders, after a doctor found it in order; --yes: what was open when the database was put back was seen',
  },
  'rails drain': {
    usage: 'rails drain RAIL [--reason TEXT] [--json] [--data-dir DIR]',
    about: 'let a rail take no new orders, and finish those that it has',
  },
  'rails off': {
    usage: 'rails off RAIL [--reason TEXT] [--json] [--data-dir DIR]',
    about: 'let nothing leave by a rail; exit 1 where something is still being sent after ten seconds',
  },
  'rails resume-reading': {
    usage: 'rails resume-reading RAIL --yes [--from BLOCK] [--json] [--data-dir DIR]',
    about: 'read a chain on after deep blocks were taken back, from the last one that is in it; the rail stays off',
  },
  'backup verify': {
    usage: 'backup verify --dump FILE|--url URL|--data-dir DIR [--scratch URL] [--json]',
    about: 'put a backup into a scratch database and check it; exit 1 on a fault, 2 where it cannot be checked',
  },
  'audit archive': {
    usage: 'audit archive --to FILE --tenant ID [--environment test|live] [--json] [--data-dir DIR]',
    about: 'write the entries of the audit log that are older than RETENTION_AUDIT_DAYS to a file; then they leave the database',
  },
  'audit verify': {
    usage: 'audit verify FILE [--head FILE] [--json]',
    about: 'check a file of archived entries by itself, and against a signed head that was kept; exit 1 on a break',
  },
  'evidence status': {
    usage: 'evidence status --tenant ID [--environment test|live] [--json] [--data-dir DIR]',
    about: 'show the transparency log of a workspace: its state and its newest signed head',
  },
  'evidence verify': {
    usage: 'evidence verify --tenant ID [--environment test|live] [--head FILE] [--data-dir DIR]',
    about: 'recompute the log from its first entry, and compare it with a head that was kept; exit 1 on a break',
  },
  'evidence resume': {
    usage: 'evidence resume --tenant ID [--environment test|live] --head FILE [--data-dir DIR]',
    about: 'open a halted log, where the newest head that was signed is a head of it: nothing was lost',
  },
  'evidence renew': {
    usage: 'evidence renew --tenant ID [--environment test|live] [--head FILE] [--data-dir DIR]',
    about: 'Ends a log that lost something, and begins another one over what is left.',
  },
  'evidence rotate-key': {
    usage: 'evidence rotate-key --tenant ID [--environment test|live] [--data-dir DIR]',
    about: 'Gives a log a new key; the one of before signs beside it for 30 days.',
  },
  'memory adopt': {
    usage: 'memory adopt [--data-dir DIR]',
    about: 'make the folder of PLATFORM_MEMORY the memory of this database, where the one of before is lost',
  },
  'shop-host add': {
    usage: 'shop-host add HOST --merchant ID --tenant ID --environment test|live [--data-dir DIR]',
    about: 'give a merchant a host at which it alone is seen; who runs the platform vouches for the name',
  },
  'shop-host list': {
    usage: 'shop-host list --tenant ID --environment test|live [--json] [--data-dir DIR]',
    about: 'list the hosts of the merchants of a tenant',
  },
  'shop-host remove': {
    usage: 'shop-host remove HOST --merchant ID --tenant ID --environment test|live [--data-dir DIR]',
    about: 'take a host from its merchant at once',
  },
  shop: {
    usage: 'shop --merchant ID --listen 127.0.0.1:8090 [--data-dir DIR]',
    about: 'open the origin of a merchant on this machine, to try clients of UCP and ACP with',
  },
  'member list': {
    usage: 'member list --tenant ID [--json] [--data-dir DIR]',
    about: 'list the members of a tenant',
  },
  'member invite': {
    usage: 'member invite --tenant ID --email EMAIL --role ROLE [--environment live|test] [--json] [--data-dir DIR]',
    about: 'make a link at which somebody joins a tenant; for the e-mail of a member, one that sets a new password',
  },
  'member suspend': {
    usage: 'member suspend ID --tenant ID [--data-dir DIR]',
    about: 'end the sessions of a member, who signs in no more until somebody changes that',
  },
  'sign-in reset': {
    usage: 'sign-in reset --tenant ID [--data-dir DIR]',
    about: 'let people sign in to a tenant with passwords, passkeys and keys again, when its settings have locked everybody out',
  },
  'ledger check': {
    usage: 'ledger check [--data-dir DIR]',
    about: 'prove the ledger: sums, chains, holds; exit 1 on a break',
  },
  'usage rebuild': {
    usage: 'usage rebuild [--tenant ID] [--data-dir DIR]',
    about: 'make the rollups of reports again from the operations, while everything goes on',
  },
  'sandbox fill': {
    usage: 'sandbox fill [--tenant ID] [--operations 100000] [--days 30] [--data-dir DIR]',
    about: 'fill a sandbox with a made-up past, to see reports of many operations; that of the first tenant by default',
  },
};
