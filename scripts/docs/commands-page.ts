import { EXIT_CRASHED } from "../../src/commands/command.ts";
import { COMMANDS, optionsOf } from "../../src/commands/run.ts";

/** A command as in a terminal, with its output, in which `…` matches any text. */
interface CommandExample {
  readonly command: string;
  readonly output?: string;
  /** Why the tests cannot run it. */
  readonly norun?: string;
}

const EXAMPLES: Readonly<Record<string, CommandExample>> = {
  serve: {
    command: `quern serve --data second --port 9000 >second.log 2>&1 &
until quern status --url http://127.0.0.1:9000 >status.txt 2>&1; do sleep 0.1; done
kill $!`,
  },
  status: { command: "quern status", output: "ok" },
  "user add": {
    command: `echo "correct horse battery" |
  quern user add --email bob@example.com --name Bob --password-stdin`,
    output: "Added user bob@example.com",
  },
  "user list": { command: "quern user list", output: "ada@example.com	Ada	administrator\nbob@example.com	Bob" },
  "user disable": { command: "quern user disable --email bob@example.com", output: "Disabled user bob@example.com" },
  "user reset-second-factor": {
    command: "quern user reset-second-factor --email ada@example.com",
    output: "Reset the second factor of ada@example.com",
  },
  "user invite": {
    command: "quern user invite --email carol@example.com --public-url https://quern.example.org",
    output: "https://quern.example.org/invitation?token=…",
  },
  "user reset": {
    command: "quern user reset --email ada@example.com --public-url https://quern.example.org",
    output: "https://quern.example.org/reset-password?token=…",
  },
  "user sign-in-link": {
    command: "quern user sign-in-link --email ada@example.com --public-url https://quern.example.org",
    output: "https://quern.example.org/sign-in/link?token=…",
  },
  "group create": {
    command: 'quern group create --name "Sales" --managed-by keycloak --external-id 4f1d2c',
    output: "Created group Sales",
  },
  "group list": { command: "quern group list", output: "Sales	0 members	keycloak" },
  "key create": { command: 'quern key create --email ada@example.com --label "Shop import"', output: "…" },
  "key list": {
    command: "quern key list --email ada@example.com",
    output: "…	(profile key)	last used …\n…	Shop import	last used never",
  },
  "key revoke": { command: 'quern key revoke --email ada@example.com --label "Shop import"', output: "Revoked" },
  "org create": {
    command: 'quern org create --domain team --name "Our team" --owner ada@example.com',
    output: "Created site team",
  },
  "org deleted": { command: "quern org deleted" },
  "org restore": { command: "quern org restore --id 12 --to ada@example.com || quern org deleted" },
  "doc import": {
    command: `printf 'Item,Price\\nBell,12.50\\n' >items.csv
quern doc import --org team --workspace Home --as ada@example.com items.csv`,
    output: "…-…-…-…-…",
  },
  "doc check": {
    command: `curl -sS -H "Authorization: Bearer $KEY" -o shop.grist "$QUERN/api/docs/$DOC/download"
quern doc check shop.grist`,
    output: "ok",
  },
  "doc describe": {
    command: "quern doc describe shop.grist",
    output: `table Customers: rows 3, columns 3, formulas 0
…
attachments: 0, bytes 0
access rules: 0
pages: 5`,
  },
  "doc recalculate": { command: "quern doc recalculate --check shop.grist", output: "ok" },
  login: {
    command: 'QUERN_API_KEY=$KEY quern login "$QUERN" --name shop',
    output: "Logged in to http://127.0.0.1:… as ada@example.com (profile shop)",
  },
  logout: {
    command: "quern logout shop",
    output: "Removed profile shop; its API key stays valid until it is revoked",
  },
  profiles: { command: "quern profiles", output: "*	shop	http://127.0.0.1:…" },
  "records list": {
    command: `quern records list "Bicycle shop" Items --where 'Price>20' --fields Item,Price`,
    output: `id  Item         Price
──  ───────────  …
 2  Basket          34
…`,
  },
  "records add": {
    command: `quern records add "Bicycle shop" Customers Name="Dora Lund" City=Oslo
echo '[{"Name": "Emil Kock", "City": "Bern"}, {"Name": "Fay Otis"}]' | quern records add "Bicycle shop" Customers`,
    output: "Added record 4\nAdded 2 records",
  },
  "records export": {
    command: `quern records export "Bicycle shop" Items --out items-export.csv --fields Item,Price 2>/dev/null
head -n 2 items-export.csv`,
    output: "id,Item,Price\n1,Bell,…",
  },
  sql: {
    command: `quern sql "Bicycle shop" "select Category, count(*) as items from Items where Price > ? group by Category" --arg 15`,
    output: `Category  items
────────  ─────
…`,
  },
  completion: {
    command: "quern completion bash >quern.bash\n. ./quern.bash",
  },
  mcp: { command: "quern mcp --profile shop </dev/null" },
  types: { command: "quern types shop.grist --out schema.d.ts" },
  "schema pull": { command: `quern schema pull "$QUERN/docs/$DOC" --out schema.yaml` },
  "schema diff": { command: `quern schema diff "$QUERN/docs/$DOC" schema.yaml`, output: "No changes" },
  "schema apply": { command: `quern schema apply "$QUERN/docs/$DOC" schema.yaml`, output: "No changes" },
  "backup list": { command: "quern backup list --from backups", output: "…T…Z	…	2 documents	… MB" },
  backup: { command: "quern backup --to backups", output: "Created backup … of 2 documents in …" },
  restore: {
    command: "quern restore --from backups --data restored",
    output: "…	Bicycle shop	ok\n…	items	ok\nRestored backup … with 2 documents to restored",
  },
  "audit verify": {
    command: "quern audit verify",
    output: "… entries, 1 to …; last hash …",
  },
  "audit follow": { command: "timeout 2 quern audit follow --after 0 || true", output: '{"number":1,…\n…' },
  "log status": {
    command: "quern log status --from postgres://quern:secret@db.example.com/quern_log",
    norun: "needs PostgreSQL",
  },
  "cluster status": { command: "quern cluster status", norun: "needs PostgreSQL" },
  "cluster drain": { command: "quern cluster drain --this --data /var/lib/quern", norun: "needs PostgreSQL" },
  "cluster release": { command: "quern cluster release 0f6d1c34-…", norun: "needs PostgreSQL" },
  "cluster recover": { command: "quern cluster recover --keep-local 0f6d1c34-…", norun: "needs PostgreSQL" },
  upgrade: {
    command: "quern upgrade --check",
    output: `quern …, data folder …
home database   version …, up to date
documents       …, 0 to upgrade
space           0 bytes needed, … free
server          running
Nothing has to be upgraded.`,
  },
  version: {
    command: "quern version",
    output: `…
build          …
bun            …
api            …
home database  version …
documents      version …`,
  },
};

const INTRODUCTION = `# Command line

All commands belong to one executable, \`quern\`, and work while a server runs on the same data:

\`\`\`sh
quern user list --json
\`\`\`

\`\`\`json
[{"id": …, "email": "ada@example.com", "name": "Ada", …}]
\`\`\`

- Commands use the data folder \`--data\` or \`QUERN_DATA\`. Run them as the user of the server.
- With \`--json\`, the result is one JSON value on stdout.
- Clients of a server, from \`quern login\` on, have no data folder: they use the server of a [profile](#profiles), on this machine or another one.
- The exit status is 0 on success. On an error, a command prints one line to stderr and exits with 1, or with 2 if the command line is invalid. Clients exit with 3 if the server cannot be reached, or is too busy: trying again later can succeed.
- \`quern serve\` exits with ${EXIT_CRASHED} after an uncaught exception: it logs the exception, finishes requests in progress and closes documents, so that a supervisor can restart it.
- \`quern COMMAND --help\` shows the options of a command.

## Profiles

A client finds its server, and the API key, in the first of these:

1. the options \`--url\` and \`--key-file\`, or \`--profile\`
2. the variables \`QUERN_URL\` and \`QUERN_API_KEY\`; an argument with a full URL takes the place of \`QUERN_URL\`
3. the profile in \`QUERN_PROFILE\`
4. the profile of the server, if \`--url\`, \`QUERN_URL\` or the URL of a document names it
5. the default profile

A key is sent only to the server that it belongs to: never to another host, also not after a redirect. No command takes a key as an
argument, which other users of the machine could see.

\`quern login\` keeps profiles in \`$XDG_CONFIG_HOME/quern/profiles.json\` (default \`~/.config\`; on Windows \`%APPDATA%\`). Only you can
read the file, and commands refuse it when other users can read or change it. Without a profile for a server, requests are sent without a
key, which is enough for public documents.

Documents are named by the address of one of their pages, copied from a browser, by id, or by name if no other document has the same one.
`;

/** Returns the documentation page of all commands. */
export function commandsPage(): string {
  // `backup list` shows the backup that the example of `backup` makes.
  const lists = COMMANDS.filter(({ name }) => name === "backup list");
  const commands = COMMANDS.filter((command) => !lists.includes(command)).flatMap((command) =>
    command.name === "backup" ? [command, ...lists] : [command],
  );
  const sections = commands.flatMap((command) => {
    const operands = (command.operands ?? []).map((operand) => ` ${operand}`).join("");
    const options = command.takesSettings
      ? ["Its options are the [settings](settings.md)."]
      : optionsOf(command).map(({ name, takes, about, required }) => {
          return `- \`--${name}${takes ? ` ${takes}` : ""}\`: ${about}${required ? " Required." : ""}`;
        });
    return [`## quern ${command.name}${operands}`, "", command.about, "", ...exampleOf(command.name), ...options, ""];
  });
  return [
    INTRODUCTION,
    ...sections,
    "Next: [Working in a terminal](terminal.md), [Running Quern](operations.md), [Backup and restore](backup.md).",
    "",
  ].join("\n");
}

function exampleOf(name: string): string[] {
  const example = EXAMPLES[name];
  if (!example) throw new Error(`scripts/docs/commands-page.ts has no example of quern ${name}`);
  const { command, output, norun } = example;
  const info = norun === undefined ? "sh" : `sh norun="${norun}"`;
  const answer = output === undefined ? [] : ["```text", output, "```", ""];
  return [`\`\`\`${info}`, command, "```", "", ...answer];
}
