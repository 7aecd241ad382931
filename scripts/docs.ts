/** Generates the pages of docs/ that come from tables in the program: bun scripts/docs.ts */
import { writeFileSync } from "node:fs";
import { METRICS } from "../src/services/administration/metrics.ts";
import { auditPage } from "./docs/audit-page.ts";
import { commandsPage } from "./docs/commands-page.ts";
import { errorsPage } from "./docs/errors-page.ts";
import { keysPage } from "./docs/keys-page.ts";
import { settingsPage } from "./docs/settings-page.ts";

/** Returns the documentation page of all metrics. */
export function metricsPage(): string {
  const rows = Object.entries(METRICS).map(([name, { type, help }]) => `| \`${name}\` | ${type} | ${help} |`);
  return [
    "# Metrics",
    "",
    "`/metrics` returns metrics in Prometheus' text format, to the clients that [`QUERN_METRICS`](settings.md#monitoring-and-logs)",
    "permits:",
    "",
    "```sh",
    'curl -sS "$QUERN/metrics" | grep quern_documents_open',
    "```",
    "",
    "```text",
    "# HELP quern_documents_open Open documents.",
    "# TYPE quern_documents_open gauge",
    "quern_documents_open …",
    "```",
    "",
    "[Monitoring](operations.md#monitoring) shows how to scrape them, and which alerts to set. Metrics without a value yet are omitted. All",
    "histograms have the same buckets, from 0.1 ms to one minute.",
    "",
    "| metric | type | meaning |",
    "|---|---|---|",
    ...rows,
    "",
    "Next: [Monitoring](operations.md#monitoring).",
    "",
  ].join("\n");
}

if (import.meta.main) {
  const pages = {
    "settings.md": settingsPage(),
    "command-line.md": commandsPage(),
    "errors.md": errorsPage(),
    "api-keys.md": keysPage(),
    "metrics.md": metricsPage(),
    "audit-log.md": auditPage(),
  };
  for (const [name, text] of Object.entries(pages)) writeFileSync(new URL(`../docs/${name}`, import.meta.url), text);
}
