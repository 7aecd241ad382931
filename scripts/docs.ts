/** Writes docs/settings.md, docs/command-line.md and docs/metrics.md from the tables in the program: bun scripts/docs.ts */
import { writeFileSync } from "node:fs";
import { EXIT_CRASHED } from "../src/commands/command.ts";
import { COMMANDS, optionsOf } from "../src/commands/run.ts";
import { settingList } from "../src/config.ts";
import { METRICS } from "../src/services/metrics.ts";

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

if (import.meta.main) {
  writeFileSync(new URL("../docs/settings.md", import.meta.url), settingsPage());
  writeFileSync(new URL("../docs/command-line.md", import.meta.url), commandsPage());
  writeFileSync(new URL("../docs/metrics.md", import.meta.url), metricsPage());
}
