import { SCOPE_NAMES, SCOPES } from "../../src/authorization.ts";
import { type RouteScope, routeScopeOf } from "../../src/http/keys/route-scopes.ts";
import { routes } from "../../src/http/routes.ts";

const REACH: Readonly<Record<RouteScope["reach"], string>> = {
  resource: "what the key reaches",
  list: "lists what the key reaches",
  caller: "yes",
  refused: "no",
};

const TABLES: Readonly<Record<RouteScope["tables"], string>> = {
  table: "its tables",
  part: "what is about its tables",
  refused: "no",
};

const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(", ");

/** Returns the documentation page of API keys and their scopes. */
export function keysPage(): string {
  const scopes = SCOPE_NAMES.map((name) => `| \`${name}\` | ${SCOPES[name].about} | ${code(SCOPES[name].includes)} |`);
  const rows = routes.map(({ spec }) => {
    const { scopes: needed, reach, tables } = routeScopeOf(spec.id);
    const request = `\`${spec.method.toUpperCase()} ${spec.path.replace("/api", "")}\``;
    return `| ${request} | ${needed.length > 0 ? code(needed) : "none"} | ${REACH[reach]} | ${TABLES[tables]} |`;
  });
  return TEXT.replace("{scopes}", scopes.join("\n")).replace("{routes}", rows.join("\n"));
}

const TEXT = `# API keys

Programs send an API key as \`Authorization: Bearer\`. A key acts as its user. A key without limits, such as each key of an
earlier version, does everything that its user may do. A limited key does less:

- **scopes** say what it may do, such as \`records:read\`;
- **restrictions** say where: in some sites, workspaces, documents or tables;
- **networks** say from which addresses it may be used;
- an **expiry** says until when.

With each request, the key can do what the role of its user, its scopes and its restrictions all allow. Give each program a key of
its own, with the scopes that it needs.

## Creating a limited key

On your profile page, with the API, or on the server's machine:

\`\`\`sh
curl -sS -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" "$QUERN/api/profile/keys" -d '{
  "label": "Stock report", "scopes": ["records:read"],
  "restrictions": {"documents": ["'$DOC'"]},
  "networks": ["127.0.0.0/8", "::1"], "expiresAt": "2100-01-01"}' >key.json
cat key.json
\`\`\`

\`\`\`json
{"id": …, "label": "Stock report", "key": "…"}
\`\`\`

\`\`\`sh norun="needs another machine"
quern key create --email ann@example.org --label "Stock report" --scope records:read --doc hq7Rm2TzVk --expires 2030-01-01
\`\`\`

| field | option of \`quern key create\` | meaning | default |
|---|---|---|---|
| \`scopes\` | \`--scope S,…\` | [scopes](#scopes) | all |
| \`restrictions.sites\` | \`--site D,…\` | ids or domains of sites | |
| \`restrictions.workspaces\` | \`--workspace N,…\` | ids of workspaces | |
| \`restrictions.documents\` | \`--doc DOC,…\` | ids or \`urlId\`s of documents | |
| \`restrictions.tables\` | \`--table T,…\`, with one \`--doc\` | \`{"document": …, "tables": […]}\`: [tables](#tables) of documents | |
| \`networks\` | \`--network CIDR,…\` | addresses and networks in CIDR notation | all |
| \`expiresAt\` | \`--expires TIME\` | a date or time in ISO 8601 | never |

Restrictions add up: a key reaches everything that any of them names, and without restrictions everything that its user has access
to. You can name only what you have access to. Limits cannot be changed afterwards: create another key, and delete this one.

\`GET /api/profile/keys\` lists your keys with their limits, and with time, network address and number of their uses. These are
written once a minute. \`DELETE /api/profile/keys/{keyId}\` ends a key with the next request, and its streams and jobs with it.

## What a refusal looks like

A missing scope is refused before the server looks anything up, so that the answer says nothing about the data:

\`\`\`json norun="illustration"
{"error": "The API key lacks the scope records:write", "details": {"code": "scope.missing", "missingScope": "records:write"}}
\`\`\`

Everything outside of the restrictions of a key answers like something that does not exist, with 404, and lists leave it out. The site
and the workspace around a document that the key reaches are visible as they are for a guest: with their names, and nothing else in
them. Requests that are about the account or the installation are refused with 403 and the code \`key.restricted\`.

A request from another network is refused with 403 and the code \`key.network\`. The address is that of the client, as reported by
[trusted proxies](settings.md). A job that has begun continues, since it has no address; it ends when the key expires or is deleted,
and each of its transactions checks scopes and restrictions again.

## Tables

A key that is limited to tables of a document reads, aggregates and changes their records, reads attachments in their cells, and
follows their changes. Schema, access rules, SQL, search, downloads, history, past states, dry runs, copies, webhooks and tokens are
refused with 403 and the code \`key.restricted\`. Every other table of the document answers like one that does not exist.

- References to other tables are row ids, without a display value. With \`cellFormat=typed\` their table is called \`_\`.
- Paths through them, as in \`Customer.Name\`, answer like unknown columns, in \`fields\`, \`expand\`, filters, sorts and aggregations.
- Formulas are computed as always: a formula column of a table shows what it takes from other tables.
- Name a summary table together with its source table; alone it cannot be read.
- The key has the tables by their ids. After a table is renamed, create another key.

## Keys that create keys

A limited key manages keys only with the scope \`admin\`. It creates keys with the same or narrower limits: what a request leaves out is
as for the key itself, and anything wider is refused with 403 and the code \`key.too_strong\`. It lists and deletes only such keys, and
the keys of service accounts that it creates have its limits. Second factors and sessions can be managed only by signed-in users.

## Keys in the history

Quern records which key made each change of a document. Owners see it on the history page and in
[the history of the API](api.md): the label for their own keys, the id for those of others. Downloads and copies of the
document do not contain it.

## Scopes

| scope | allows | includes |
|---|---|---|
{scopes}

The records of metadata tables (\`_grist_…\`) are tables, columns and access rules: reading them also needs \`schema:read\`, or
\`access:read\` for \`_grist_ACL…\`; changing them \`schema:write\`, or \`access:manage\`. Past states (\`at=\`) also need \`history:read\`.

## Requests

The scopes that each request needs; with several, all of them. The third column is for keys with restrictions, the fourth for keys
that are limited to tables of the document.

| request | scopes | restricted keys | keys for tables |
|---|---|---|---|
{routes}

Next: [Tokens for end users](end-user-tokens.md).
`;
