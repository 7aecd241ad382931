import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../../src/errors.ts";
import { inferTables } from "../../../src/exchange/infer-tables.ts";
import { runFileJob } from "../../../src/hosts/files/file-job.ts";
import { STATUS_BY_KIND } from "../../../src/http/error-responses.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";
import { randomRuns } from "../../helpers/random-runs.ts";
import { spoiltFile, type SpoiltFile } from "./spoilt-files.ts";

/** `QUERN_TEST_SEQUENCES=10000 bun test test/api/imports-fuzz` after a change to a reader. */
const FILES = randomRuns(300, 300);
/** The usual timeout for a change, longer for many files. */
const TIMEOUT_MS = Math.max(120_000, FILES * 400);
const seed = Number(process.env["QUERN_TEST_SEED"] ?? Date.now() % 1_000_000);

const openHandles = (): number => readdirSync("/proc/self/fd").length;

/** Reads a file as an import does, and removes its rows. */
async function readFile({ name, bytes }: SpoiltFile, folder: string): Promise<void> {
  const path = join(folder, "upload");
  const to = join(folder, "rows");
  writeFileSync(path, bytes);
  try {
    const staged = await runFileJob({ kind: "stage", from: { path, name }, choices: {}, to, maxBytes: 1024 ** 2 });
    if (!Array.isArray(staged)) throw new Error("a stage job gives tables");
    const file = inferTables(staged, { locale: "en-US" });
    await runFileJob({ kind: "preview", file, to });
    for (const table of file.tables) await rm(table.path);
  } finally {
    await rm(path);
  }
}

const isRefusal = (error: unknown): boolean => error instanceof AppError && STATUS_BY_KIND[error.code] < 500;

test(
  `no corrupted file breaks the readers or leaves anything behind (QUERN_TEST_SEED=${seed})`,
  async () => {
    const folder = tempFolder();
    const handles = openHandles();
    for (let own = seed; own < seed + FILES; own++) {
      const what = `QUERN_TEST_SEED=${own} QUERN_TEST_SEQUENCES=1`;
      const error = await readFile(spoiltFile(own), folder).catch((thrown: unknown) => thrown);
      if (error !== undefined && !isRefusal(error)) throw new Error(what, { cause: error });
      expect(readdirSync(folder), what).toEqual([]);
    }
    expect(openHandles()).toBeLessThanOrEqual(handles + 2);
  },
  TIMEOUT_MS,
);
