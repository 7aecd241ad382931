/**
 * Stages a file with the sources of a build, and prints its duration and the peak memory of the process as JSON: `bun
 * stage.ts FOLDER-OF-BUILD csv|xlsx FILE PREFIX-OF-STAGED-FILES`. A separate process per file starts with empty caches.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { stageTables } from "../../../src/exchange/staging.ts";
import type { TableReader } from "../../../src/exchange/table-parts.ts";

const [build = "", format, path = "", to = ""] = Bun.argv.slice(2);
const exchange = join(build, "src/exchange");
// Earlier builds have the XLSX reader at the top of the folder.
const xlsx = existsSync(join(exchange, "xlsx")) ? "xlsx/read-xlsx.ts" : "read-xlsx.ts";
const readers = (await import(join(exchange, format === "csv" ? "read-delimited.ts" : xlsx))) as Readonly<
  Record<string, TableReader>
>;
const staging = (await import(join(exchange, "staging.ts"))) as { readonly stageTables: typeof stageTables };
const reader = readers[format === "csv" ? "delimitedReader" : "xlsxReader"];
if (!reader) throw new Error(`No reader for ${format} in ${exchange}`);
const start = performance.now();
await staging.stageTables(reader, { path, name: "Table1" }, to);
const seconds = (performance.now() - start) / 1000;
// maxRSS of a process would start at the peak of its parent.
const status = await Bun.file("/proc/self/status").text();
const peakMb = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1024;
console.log(JSON.stringify({ seconds, peakMb }));
