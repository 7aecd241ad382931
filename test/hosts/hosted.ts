/** Documents in worker threads, for tests of their runtime. */
import { expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { FORMULA_LIMITS, type FormulaLimits } from "../../src/doc/document.ts";
import { HISTORY_LIMITS } from "../../src/doc/history.ts";
import { documentFile, documentFolder } from "../../src/hosts/files/document-files.ts";
import type { WorkerRuntimeOptions } from "../../src/hosts/threads/worker-runtime-options.ts";
import { WorkerRuntime } from "../../src/hosts/threads/worker-runtime.ts";
import { newUuid } from "../../src/lib/ids.ts";
import { silentLog } from "../../src/lib/observability/log.ts";
import { decode, grantOf } from "../doc/read/sample.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

export interface Hosted extends AsyncDisposable {
  readonly host: WorkerRuntime;
  readonly folder: string;
  /** Creates a document with a table `T` of columns `A` and `B`. */
  make(): Promise<string>;
  add(uuid: string, fields: Record<string, unknown>): Promise<unknown>;
  read(uuid: string): Promise<unknown[]>;
  setFormula(uuid: string, formula: string): Promise<unknown>;
}

interface Options extends Partial<WorkerRuntimeOptions> {
  readonly formulas?: FormulaLimits;
  readonly maxOpen?: number;
  readonly idleMs?: number;
  readonly isLogged?: boolean;
}

export const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

export const keepingIn = (
  folder: string,
  { formulas = FORMULA_LIMITS, maxOpen = 100, idleMs = 60_000, isLogged = false }: Options = {},
) => ({
  folder,
  durability: "normal" as const,
  maxOpen,
  idleMs,
  isLogged,
  history: HISTORY_LIMITS,
  formulas,
  groupCommit: true,
});

/** Options of the readers of past states, for documents without snapshots. */
export const pastReadsIn = (folder: string) => ({
  runtimeOptions: keepingIn(folder),
  hangMs: 60_000,
  snapshots: { list: async () => [], decompress: async () => {} },
});

export function hosted(options: Options = {}): Hosted {
  const folder = tempFolder();
  const runtimeOptions = keepingIn(folder, options);
  const host = new WorkerRuntime({
    runtimeOptions,
    log: silentLog,
    maxWorkers: 2,
    hangMs: 60_000,
    maxMemoryBytes: 0,
    ...options,
  });
  return {
    host,
    folder,
    async make() {
      const uuid = newUuid();
      mkdirSync(documentFolder(folder, uuid), { recursive: true });
      await host.createFile(documentFile(folder, uuid));
      const columns = [
        { id: "A", fields: { type: "Int" } },
        { id: "B", fields: { formula: "", isFormula: false } },
      ];
      await host.call(grantOf(uuid), "tables.add", { body: bytes({ tables: [{ id: "T", columns }] }) });
      return uuid;
    },
    add: (uuid, fields) =>
      host.call(grantOf(uuid), "records.add", {
        table: "T",
        noparse: true,
        flat: false,
        body: bytes({ records: [{ fields }] }),
      }),
    async read(uuid) {
      const answer = await host.call(grantOf(uuid), "records.fetch", { table: "T", hidden: false, typed: false });
      if (answer.kind !== "bytes") throw new Error(answer.kind);
      return (JSON.parse(decode(answer.bytes)) as { records: { fields: { A: unknown } }[] }).records.map(
        ({ fields }) => fields.A,
      );
    },
    setFormula: (uuid, formula) =>
      host.call(grantOf(uuid), "columns.modify", {
        table: "T",
        body: bytes({ columns: [{ id: "B", fields: { formula, isFormula: true } }] }),
      }),
    [Symbol.asyncDispose]: () => host.close(),
  };
}

/** So many documents. */
export async function made(h: Hosted, count: number): Promise<string[]> {
  const uuids: string[] = [];
  for (let i = 0; i < count; i++) uuids.push(await h.make());
  return uuids;
}

/** Returns the error of a rejected promise. */
export const failure = (refused: Promise<unknown>): Promise<unknown> =>
  refused.then(
    () => null,
    (error: unknown) => error,
  );

export const unavailable: unknown = expect.objectContaining({ code: "unavailable", retryAfterS: 1 });

/** Steps without end, within any budget. */
export const ENDLESS: FormulaLimits = {
  cell: { steps: Number.MAX_SAFE_INTEGER, bytes: 1e9 },
  change: { steps: Number.MAX_SAFE_INTEGER, bytes: 1e12 },
};

export const LONG = "n = 0\nwhile n < 20000000:\n  n += 1\nreturn n";
