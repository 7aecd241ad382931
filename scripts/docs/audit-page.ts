import { AUDIT_EVENTS } from "../../src/services/audit/audit-events.ts";

/** Returns the documentation page of the audit log, with the table of all events. */
export function auditPage(): string {
  const rows = Object.entries(AUDIT_EVENTS).map(([event, about]) => `| \`${event}\` | ${about} |`);
  return `${ABOUT}\n${rows.join("\n")}\n${MORE}`;
}

const ABOUT = `# Audit log

The audit log records who did what, from where and when: sign-ins and failures, keys, shares, exports and downloads, deletions,
changes of access rules, and administration. It is part of the home database. Entries cannot be changed, and each one contains the
hash of the one before, so that later changes are found. It never contains cell values, keys, tokens, passwords, or the text of an
unknown account name.

\`\`\`sh
quern audit verify
\`\`\`

\`\`\`text
… entries, 1 to …; last hash …
\`\`\`

Administrators read it on the page *Audit log* of the administration, with filters by event, actor and time, or with the API:

\`\`\`sh norun="illustration"
curl -sS -H "Authorization: Bearer $KEY" "$QUERN/api/audit?event=document&since=2026-11-01T00:00:00Z&limit=20"
\`\`\`

\`event\` is an event or the part before its dot, such as \`session\`. The other filters are \`actor\`, \`user\`, \`document\`, \`site\`, \`since\`
and \`until\`. Pages have the newest entries first; \`next\` of a page is \`before\` of the next one. With
\`Accept: application/x-ndjson\`, all entries that match are returned as lines, the oldest first.

## Entries

| field | content |
|---|---|
| \`number\` | grows with each entry and is never used twice. After a restored backup it continues with the time in milliseconds |
| \`time\` | when it happened, or, for a sum of failures, when the last one did |
| \`event\` | see [Events](#events) |
| \`actorId\`, \`actor\` | the user and their email address; else \`anonymous\`, \`server\`, or \`command\` for a command on the machine |
| \`keyId\` | the API key of the request |
| \`address\` | the network address of the client; deleted after 90 days |
| \`target\` | subject of the entry: ids and names, at the time, of \`user\`, \`site\`, \`workspace\`, \`document\`, \`key\`, \`webhook\`, \`source\` |
| \`details\` | depends on the event |
| \`count\` | how many equal events the entry is for |
| \`addressDigest\`, \`hash\` | see [Verifying the chain](#verifying-the-chain) |

Users are named by their email addresses, which stay in the log after an account is deleted, until the entry is.

Failed attempts to sign in are recorded once for each account and network (for IPv6, a /64). Repetitions within ten minutes are one
more entry with their \`count\`.

Reading a document in a page or with the API, SQL queries and single attachments are not recorded: downloads of a file, an export or
the archive of all attachments are. Requests that are refused or change nothing, dry runs and requests that are
[repeated](api.md#repeating-writes-safely) record nothing.

## Events

| event | meaning |
|---|---|`;

const MORE = `
## What a crash can lose

An entry about a change of the home database (accounts, keys, sites, documents, shares, webhooks) is written in the same transaction:
neither exists without the other. Entries about downloads, exports, deleted history and snapshots, access rules, and failures are
collected for up to a second, since each write of the home database costs all other requests time. A crash or a power failure loses
those of the last second, and the counts of failures of the last ten minutes. A server that stops writes them. In a cluster they are
sent to the node that owns the home database, again until it has written them: after a failure of the network an entry can exist twice.

## Keeping entries

Entries are deleted after [\`QUERN_AUDIT_KEEP\`](settings.md#monitoring-and-logs) days (365; 0 keeps them). A checkpoint with the number
and hash of the last deleted entry stays, and the chain starts from it.

A [restored backup](backup.md) has the log as it was at the time of the backup, and an entry \`backup.restored\`. Later entries
are missing from it: keep entries elsewhere as well.

## Verifying the chain

\`\`\`sh norun="illustration"
quern audit verify --data /var/lib/quern
\`\`\`

This reads the log, also beside a running server, and prints the number of entries and the last hash. If an entry was changed, inserted,
left out or moved, it names the first one that does not continue the chain, and exits with status 1.

The chain alone cannot show that entries at its end are missing, or that someone with write access to the file has rewritten all of it. For that, note
the last hash from time to time where the administrators of the server cannot write, and verify that the log still contains it:

\`\`\`sh norun="illustration"
quern audit verify --data /var/lib/quern --from 5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef
\`\`\`

It fails unless an entry, or a checkpoint, has this hash. A hash whose entry was deleted by age is found only if it is that of a
checkpoint.

A hash is the SHA-256, as hexadecimal digits, of the hash of the entry before (64 zeros for the first one), a line feed, and the JSON array
\`[number, time, event, actorId, actor, keyId, addressDigest, target, details, count]\` without spaces, where \`time\` is in milliseconds
since 1970, and \`target\` and \`details\` are texts that contain JSON. \`addressDigest\` is the SHA-256 of a random salt, a line feed and the
address. The salt is deleted together with the address: then the address cannot be found by trying all of them.

## Sending entries elsewhere

\`quern audit follow\` prints new entries as lines of JSON until it is stopped. It reads the home database of this machine, so it needs no
key; on a node of a cluster it reads the node's copy.

\`\`\`sh norun="illustration"
quern audit follow --data /var/lib/quern | logger --tag quern-audit
\`\`\`

\`--after N\` begins after an entry, for a program that remembers the number of the last one it has stored; \`--after 0\` prints all
entries. Programs that collect logs, such as Vector, Fluent Bit or Filebeat, can run the command and send its lines to a SIEM, or
fetch \`/api/audit?after=N\` with \`Accept: application/x-ndjson\` and the key of an administrator, whose scope \`admin\` is enough.

Next: [Operations](operations.md#administration).
`;
