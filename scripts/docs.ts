/** Generates the pages of docs/ that come from tables in the program: bun scripts/docs.ts */
import { writeFileSync } from "node:fs";
import { EXIT_CRASHED } from "../src/commands/command.ts";
import { COMMANDS, optionsOf } from "../src/commands/run.ts";
import { settingList } from "../src/config.ts";
import { CODES, GENERAL_CODES, INTERNAL_CODE, type ErrorCode } from "../src/errors/codes.ts";
import { FROZEN, type FrozenMessage } from "../src/errors/frozen-messages.ts";
import { STATUS_BY_KIND } from "../src/http/error-responses.ts";
import { METRICS } from "../src/services/administration/metrics.ts";

/** Returns the documentation page of all settings. */
export function settingsPage(): string {
  const rows = settingList().map(
    ({ env, flag, takes, fallback, about }) => `| \`${env}\` | \`--${flag} ${takes}\` | ${fallback} | ${about} |`,
  );
  return [
    "# Settings",
    "",
    "Each setting of `quern serve` is an environment variable and a flag; the flag takes precedence. With an",
    "invalid value, the server does not start and reports the setting. Sizes are written like `500KB`, `16MB`, `1GB`.",
    "",
    "| variable | flag | default | meaning |",
    "|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

/** Returns the documentation page of all commands. */
export function commandsPage(): string {
  const sections = COMMANDS.flatMap((command) => {
    const operands = (command.operands ?? []).map((operand) => ` ${operand}`).join("");
    const options = command.takesSettings
      ? ["Its options are the [settings](settings.md)."]
      : optionsOf(command).map(({ name, takes, about, required }) => {
          return `- \`--${name}${takes ? ` ${takes}` : ""}\`: ${about}${required ? " Required." : ""}`;
        });
    return [`## quern ${command.name}${operands}`, "", command.about, "", ...options, ""];
  });
  return [
    "# Command line",
    "",
    "All commands belong to one executable, `quern`, and work while a server runs on the same data. The exit status is 0 on",
    "success. On an error, a command prints one line to stderr and exits with 1, or with 2 if the command line is invalid.",
    `\`quern serve\` exits with ${EXIT_CRASHED} after an uncaught exception: it logs the exception, finishes requests in progress and`,
    "closes documents, so that a supervisor can restart it.",
    "",
    ...sections,
  ].join("\n");
}

/** Returns the documentation page of all metrics. */
export function metricsPage(): string {
  const rows = Object.entries(METRICS).map(([name, { type, help }]) => `| \`${name}\` | ${type} | ${help} |`);
  return [
    "# Metrics",
    "",
    "`/metrics` returns these metrics in Prometheus' text format to the clients that `--metrics` permits; see",
    "[Operations](operations.md#monitoring). Metrics without a value yet are omitted. All histograms have the same buckets,",
    "from 0.1 ms to one minute.",
    "",
    "| metric | type | meaning |",
    "|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

/** Returns the documentation page of all errors. */
export function errorsPage(): string {
  const kinds = (Object.keys(CODES) as ErrorCode[]).toSorted((a, b) => STATUS_BY_KIND[a] - STATUS_BY_KIND[b]);
  const codes = kinds.flatMap((kind) =>
    Object.entries(CODES[kind]).map(([code, meaning]) => `| ${STATUS_BY_KIND[kind]} | \`${code}\` | ${meaning} |`),
  );
  const sentences = (Object.values(FROZEN) as FrozenMessage<readonly unknown[]>[]).map(
    ({ code, message, example, matchedBy }) => `| \`${message(...example)}\` | \`${code}\` | ${matchedBy} |`,
  );
  return [
    "# Errors",
    "",
    "The body of every error response is a JSON object:",
    "",
    "```json",
    JSON.stringify({ error: 'Table not found "Unicorn"', details: { code: "table.not_found" } }, null, 2),
    "```",
    "",
    "`error` is a message for people and may change. `details.code` is for programs: codes are never renamed or removed.",
    "New codes are added, so treat an unknown code like its status. `X-Request-Id` identifies the request in the server's log.",
    "Requests that the HTTP parser rejects, such as a head that is too large (431), have no response body.",
    "",
    "Some errors have more `details`:",
    "",
    "- `userError` (`payload.invalid`): the invalid field, and the reason;",
    "- `memos` (`access.rules`): the memos of the access rules that refused the request;",
    "- `requestId` (`server.internal`): the same as `X-Request-Id`.",
    "",
    "Responses with 429 and 503 have a `Retry-After` header with the seconds to wait.",
    "",
    "## Codes",
    "",
    `The first code of each status is the general one. \`${GENERAL_CODES.invalid}\`, for example, is the code of every 400 without a`,
    "more specific one.",
    "",
    "| Status | Code | Meaning |",
    "|---|---|---|",
    ...codes,
    `| 500 | \`${INTERNAL_CODE}\` | An unexpected error. The log has the cause under \`details.requestId\`. |`,
    "",
    "## Stable sentences",
    "",
    "Some existing programs match the text of `error`. These sentences are stable. The table, column and row names and other values in",
    "them are examples.",
    "",
    "| Sentence | Code | Matched by |",
    "|---|---|---|",
    ...sentences,
    "",
    "`grist_api` for Python retries indefinitely if the sentence contains `SQLITE_BUSY`; no sentence does.",
    "n8n and `pygrister` check the status only.",
    "",
  ].join("\n");
}

if (import.meta.main) {
  writeFileSync(new URL("../docs/settings.md", import.meta.url), settingsPage());
  writeFileSync(new URL("../docs/command-line.md", import.meta.url), commandsPage());
  writeFileSync(new URL("../docs/errors.md", import.meta.url), errorsPage());
  writeFileSync(new URL("../docs/metrics.md", import.meta.url), metricsPage());
}
