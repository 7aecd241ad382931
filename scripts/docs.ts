/** Writes the pages of docs/ that are made from tables in the program: bun scripts/docs.ts */
import { writeFileSync } from "node:fs";
import { EXIT_CRASHED } from "../src/commands/command.ts";
import { COMMANDS, optionsOf } from "../src/commands/run.ts";
import { settingList } from "../src/config.ts";
import { CODES, GENERAL_CODES, INTERNAL_CODE, type ErrorCode } from "../src/errors/codes.ts";
import { FROZEN, type FrozenMessage } from "../src/errors/frozen-messages.ts";
import { STATUS_BY_KIND } from "../src/http/error-responses.ts";
import { METRICS } from "../src/services/administration/metrics.ts";

/** The documentation page of all settings. */
export function settingsPage(): string {
  const rows = settingList().map(
    ({ env, flag, takes, fallback, about }) => `| \`${env}\` | \`--${flag} ${takes}\` | ${fallback} | ${about} |`,
  );
  return [
    "# Settings",
    "",
    "Each setting of `quern serve` is an environment variable and a flag; the flag wins. A wrong value stops the start",
    "with a sentence that names it. Sizes are written like `500KB`, `16MB`, `1GB`.",
    "",
    "| environment | flag | default | meaning |",
    "|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

/** The documentation page of all commands. */
export function commandsPage(): string {
  const sections = COMMANDS.flatMap((command) => {
    const operands = (command.operands ?? []).map((operand) => ` ${operand}`).join("");
    const options = command.takesSettings
      ? ["All [settings](settings.md) are options of it."]
      : optionsOf(command).map(({ name, takes, about, required }) => {
          return `- \`--${name}${takes ? ` ${takes}` : ""}\`: ${about}${required ? " Required." : ""}`;
        });
    return [`## quern ${command.name}${operands}`, "", command.about, "", ...options, ""];
  });
  return [
    "# Command line",
    "",
    "One executable, `quern`. Every command works while a server runs on the same data. It exits with 0, or with another",
    "number and one line on stderr: 1 when the work was refused, 2 when the command line makes no sense. `quern serve` exits",
    `with ${EXIT_CRASHED} after an exception that nothing caught: it is logged, requests in progress are answered, documents are`,
    "closed, and a supervisor can start the server again.",
    "",
    ...sections,
  ].join("\n");
}

/** The documentation page of all metrics. */
export function metricsPage(): string {
  const rows = Object.entries(METRICS).map(([name, { type, help }]) => `| \`${name}\` | ${type} | ${help} |`);
  return [
    "# Metrics",
    "",
    "What `/metrics` tells, in Prometheus' text format, to whom `--metrics` lets; [Operations](operations.md#monitoring)",
    "tells how to ask for it. A metric without figures yet is left out. All histograms have the same buckets, from a tenth of a millisecond to a minute.",
    "",
    "| metric | type | meaning |",
    "|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

/** The documentation page of all refusals. */
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
    "Every refused request is answered with a JSON object:",
    "",
    "```json",
    JSON.stringify({ error: 'Table not found "Unicorn"', details: { code: "table.not_found" } }, null, 2),
    "```",
    "",
    "`error` is a sentence for people and may change. `details.code` is for programs: codes are never renamed or removed.",
    "New codes are added, so treat an unknown code like the status. `X-Request-Id` names the request in the server's log.",
    "Requests that the HTTP parser rejects, such as a head that is too large (431), are answered without a body.",
    "",
    "Some refusals carry more in `details`:",
    "",
    "- `userError` (`payload.invalid`): which field is wrong, and why;",
    "- `memos` (`access.rules`): what the access rules say about the refusal;",
    "- `requestId` (`server.internal`): the same as `X-Request-Id`.",
    "",
    "429 and 503 carry a `Retry-After` header with the seconds to wait.",
    "",
    "## Codes",
    "",
    `The first code of each status is the general one. \`${GENERAL_CODES.invalid}\`, for example, is the code of every 400 that has no`,
    "code of its own.",
    "",
    "| Status | Code | Meaning |",
    "|---|---|---|",
    ...codes,
    `| 500 | \`${INTERNAL_CODE}\` | An unexpected error. The log has the cause under \`details.requestId\`. |`,
    "",
    "## Sentences that do not change",
    "",
    "Some existing programs match the text of `error`. These sentences stay as they are. Example values stand where a",
    "sentence names a table, column, row or other value.",
    "",
    "| Sentence | Code | Matched by |",
    "|---|---|---|",
    ...sentences,
    "",
    "`grist_api` for Python repeats a request without end when the sentence contains `SQLITE_BUSY`; no sentence does.",
    "n8n and `pygrister` go by the status alone.",
    "",
  ].join("\n");
}

if (import.meta.main) {
  writeFileSync(new URL("../docs/settings.md", import.meta.url), settingsPage());
  writeFileSync(new URL("../docs/command-line.md", import.meta.url), commandsPage());
  writeFileSync(new URL("../docs/errors.md", import.meta.url), errorsPage());
  writeFileSync(new URL("../docs/metrics.md", import.meta.url), metricsPage());
}
