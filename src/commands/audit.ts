import { join } from "node:path";
import { AppError, invalid } from "../errors.ts";
import { HOME_FILE } from "../home/home-upgrade.ts";
import { AuditReader, verifyAuditLog } from "../home/identity/read-audit-log.ts";
import { integerBetween } from "../lib/setting-parsers.ts";
import { toAuditEntry } from "../services/audit/audit-entry.ts";
import type { Command } from "./command.ts";
import { printResult, requireData } from "./with-context.ts";

export const auditVerify: Command = {
  name: "audit verify",
  about:
    "Verifies the hash chain of the audit log, also beside a running server. Prints the number of entries and the last hash.",
  options: [
    {
      name: "from",
      takes: "HASH",
      about: "A hash that was noted before: fails unless the log still has the entry, or a checkpoint, with it.",
    },
  ],
  async run(input) {
    requireData(input.config);
    const from = input.options["from"]?.toLowerCase() ?? null;
    if (from !== null && !/^[0-9a-f]{64}$/.test(from)) throw invalid("--from must be a hash: 64 hexadecimal digits");
    const report = await verifyAuditLog(join(input.config.data, HOME_FILE), { from });
    const { entries, first, last, lastHash, firstBad, hasFrom } = report;
    const range = entries === 0 ? "no entries" : `${entries} entries, ${first} to ${last}`;
    printResult(input, report, [`${range}; last hash ${lastHash}`]);
    if (firstBad !== null)
      throw new AppError("damaged", `the audit log was changed: entry ${firstBad} does not continue the chain`);
    if (!hasFrom) throw new AppError("damaged", "the audit log was changed: no entry or checkpoint has the given hash");
    return 0;
  },
};

const POLL_INTERVAL_MS = 1000;

export const auditFollow: Command = {
  name: "audit follow",
  about: "Prints new entries of the audit log as lines of JSON, until it is stopped.",
  options: [
    {
      name: "after",
      takes: "N",
      about: "Begins with the first entry after this number; 0 prints all. Default: only entries from now on.",
    },
  ],
  async run({ context, config, options }) {
    requireData(config);
    const reader = new AuditReader(join(config.data, HOME_FILE));
    const stop = new AbortController();
    const stopped = Promise.withResolvers<void>();
    context.onStop(() => {
      stop.abort();
      stopped.resolve();
    });
    let last = options["after"] === undefined ? reader.lastNumber() : parseNumber(options["after"]);
    while (!stop.signal.aborted) {
      const rows = reader.read(last);
      for (const row of rows) context.out(JSON.stringify(toAuditEntry(row)));
      last = rows.at(-1)?.number ?? last;
      // The reader of the output is gone, or its disk is full: entries must not be lost silently.
      if (rows.length > 0 && (await context.isOutputLost()))
        throw new AppError("storage", `the output failed; the last entry read is ${last}`);
      if (rows.length === 0) await Promise.race([Bun.sleep(POLL_INTERVAL_MS), stopped.promise]);
    }
    return 0;
  },
};

function parseNumber(text: string): number {
  try {
    return integerBetween(text, 0, Number.MAX_SAFE_INTEGER);
  } catch (error) {
    throw invalid(`--after ${(error as Error).message}`);
  }
}
