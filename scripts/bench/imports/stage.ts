/**
 * Stages a file with the sources of a build, and prints as JSON how long it took and how much memory the process had:
 * `bun stage.ts FOLDER-OF-BUILD csv|xlsx FILE PREFIX-OF-STAGED-FILES`. A process for each: it starts with empty caches.
 */
import { join } from "node:path";
import type { stageTables } from "../../../src/exchange/staging.ts";
import type { TableReader } from "../../../src/exchange/table-parts.ts";

const [build = "", format, path = "", to = ""] = Bun.argv.slice(2);
const exchange = join(build, "src/exchange");
const readers = (await import(join(exchange, format === "csv" ? "read-delimited.ts" : "read-xlsx.ts"))) as Readonly<
  Record<string, TableReader>
>;
const staging = (await import(join(exchange, "staging.ts"))) as { readonly stageTables: typeof stageTables };
const reader = readers[format === "csv" ? "delimitedReader" : "xlsxReader"];
if (!reader) throw new Error(`No reader for ${format} in ${exchange}`);
const start = performance.now();
await staging.stageTables(reader, { path, name: "Table1" }, to);
const seconds = (performance.now() - start) / 1000;
// The peak that a process tells of itself (maxRSS) would begin with that of the one that started it.
const status = await Bun.file("/proc/self/status").text();
const peakMb = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1024;
console.log(JSON.stringify({ seconds, peakMb }));
