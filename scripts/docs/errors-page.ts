import { CODES, type ErrorCode, INTERNAL_CODE, type Reason } from "../../src/errors/codes.ts";
import { FROZEN, type FrozenMessage } from "../../src/errors/frozen-messages.ts";
import { STATUS_BY_KIND } from "../../src/http/error-responses.ts";
import { REMEDIES } from "./remedies.ts";

interface Status {
  readonly name: string;
  /** The cause, and whether the same request can succeed later. */
  readonly about: string;
}

const STATUSES: Readonly<Record<number, Status>> = {
  400: { name: "Bad Request", about: "The request is wrong. Nothing was changed; the same request fails again." },
  401: { name: "Unauthorized", about: "The server does not know who you are." },
  403: { name: "Forbidden", about: "You are known, and not allowed to do this." },
  404: { name: "Not Found", about: "The object does not exist, or is in the trash." },
  408: { name: "Request Timeout", about: "The body arrived too slowly. Nothing was changed." },
  409: { name: "Conflict", about: "The request contradicts existing data." },
  410: { name: "Gone", about: "An old form of a request that is refused on purpose." },
  413: { name: "Content Too Large", about: "The request or its result exceeds a size limit." },
  415: { name: "Unsupported Media Type", about: "The body has a form that the route does not accept." },
  422: {
    name: "Unprocessable Content",
    about: "The `Idempotency-Key` was used with another body; nothing was changed.",
  },
  429: { name: "Too Many Requests", about: "Nothing was changed. Wait `Retry-After` seconds, then retry." },
  500: { name: "Internal Server Error", about: "A problem of the server: an administrator has to look at it." },
  501: { name: "Not Implemented", about: "The feature is off on this server. Nothing was changed." },
  503: {
    name: "Service Unavailable",
    about: "Nothing was changed, unless `error` says otherwise. Wait `Retry-After` seconds, then retry.",
  },
  504: { name: "Gateway Timeout", about: "The work continues. Check its result before you retry." },
  507: { name: "Insufficient Storage", about: "The disk is full or broken. Nothing was changed." },
};

interface CodeRow {
  readonly status: number;
  readonly code: Reason | typeof INTERNAL_CODE;
  readonly meaning: string;
}

const INTERNAL: CodeRow = {
  status: 500,
  code: INTERNAL_CODE,
  meaning: "An unexpected error. The log has the cause under `details.requestId`.",
};

const rows: readonly CodeRow[] = [
  ...(Object.keys(CODES) as ErrorCode[]).flatMap((kind) =>
    Object.entries<string>(CODES[kind]).map(([code, meaning]) => ({
      status: STATUS_BY_KIND[kind],
      code: code as Reason,
      meaning,
    })),
  ),
  INTERNAL,
];

/** Returns the documentation page of all errors. */
export function errorsPage(): string {
  const byStatus = [...Map.groupBy(rows, ({ status }) => status)].toSorted(([a], [b]) => a - b);
  const sentences = (Object.values(FROZEN) as FrozenMessage<readonly unknown[]>[]).map(
    ({ code, message, example, matchedBy }) => `| \`${message(...example)}\` | \`${code}\` | ${matchedBy} |`,
  );
  return [
    ...INTRODUCTION,
    "## Statuses",
    "",
    "| status | meaning |",
    "|---|---|",
    ...byStatus.map(([status]) => `| [${status}](#${anchorOf(status)}) | ${statusOf(status).about} |`),
    "",
    "Requests that the HTTP parser rejects, such as a head that is too large (431), have no response body.",
    "",
    "## Codes",
    "",
    "The first code of each status is the general one: `request.invalid` is the code of every 400 without a more specific one.",
    "Codes are never renamed or removed. New codes are added, so treat an unknown code like its status.",
    "",
    ...byStatus.flatMap(([status, codes]) => [
      `### ${status} ${statusOf(status).name}`,
      "",
      "| code | meaning | what to do |",
      "|---|---|---|",
      ...codes.map(({ code, meaning }) => `| \`${code}\` | ${meaning} | ${REMEDIES[code]} |`),
      "",
    ]),
    "## Stable sentences",
    "",
    "Some existing programs match the text of `error`. These sentences are stable. The table, column and row names and other values in",
    "them are examples.",
    "",
    "| sentence | code | matched by |",
    "|---|---|---|",
    ...sentences,
    "",
    "`grist_api` for Python retries indefinitely if the sentence contains `SQLITE_BUSY`; no sentence does.",
    "n8n and `pygrister` check the status only.",
    "",
    "Next: [Limits](limits.md), [Running Quern](operations.md#troubleshooting).",
    "",
  ].join("\n");
}

const statusOf = (status: number): Status => {
  const known = STATUSES[status];
  if (!known) throw new Error(`docs/errors.md has no description of status ${status}`);
  return known;
};

const anchorOf = (status: number): string => `${status}-${statusOf(status).name.toLowerCase().replaceAll(" ", "-")}`;

const INTRODUCTION = `# Errors

A refused request changes nothing, and its response says why:

\`\`\`sh
curl -sS -H "Authorization: Bearer $KEY" "$QUERN/api/docs/$DOC/tables/Unicorn/records"
\`\`\`

\`\`\`json
{"error": "Table not found \\"Unicorn\\"", "details": {"code": "table.not_found"}}
\`\`\`

- \`error\` is a sentence for people, and may change.
- \`details.code\` is for programs, and never changes.
- The header \`X-Request-Id\` identifies the request in the server's log.

Some errors have more \`details\`:

- \`userError\` (\`payload.invalid\`): the invalid field, and the reason;
- \`memos\` (\`access.rules\`): the memos of the access rules that refused the request;
- \`table\`, \`column\`, \`row\` (\`formula.time_limit\`): the cell of the slow formula;
- \`requestId\` (\`server.internal\`): the same as \`X-Request-Id\`.

## Handling errors

Decide by the code, fall back to the status, and retry only 429 and 503, after the seconds in \`Retry-After\`:

\`\`\`js
const { QUERN, KEY, DOC } = process.env;

async function request(path, options = {}, attempts = 5) {
  const headers = { Authorization: \`Bearer \${KEY}\`, ...options.headers };
  const response = await fetch(\`\${QUERN}/api/docs/\${DOC}/\${path}\`, { ...options, headers });
  if (response.ok) return response.json();
  if ([429, 503].includes(response.status) && attempts > 1) {
    const seconds = Number(response.headers.get("Retry-After") ?? 1);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    return request(path, options, attempts - 1);
  }
  const { error, details } = await response.json();
  throw Object.assign(new Error(error), { status: response.status, code: details?.code });
}

try {
  await request("tables/Unicorn/records");
} catch (error) {
  console.log(error.code === "table.not_found" ? "Create the table first" : error.message);
}
\`\`\`

\`\`\`text
Create the table first
\`\`\`
`.split("\n");
