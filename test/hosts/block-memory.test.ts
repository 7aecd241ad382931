/** Memory of reading, exporting and importing a table does not depend on its number of rows. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { tempFolder } from "../helpers/temp-folder.ts";

const [FEW, MANY] = [50_000, 500_000];
/** The amount of garbage differs from run to run. */
const MAX_RATIO = 2;
const TOLERANCE_MB = 60;

async function peakMb(what: string, rows: number): Promise<number> {
  const script = join(import.meta.dir, "block-memory.ts");
  const child = Bun.spawn([process.execPath, script, what, String(rows), tempFolder()], { stdout: "pipe" });
  const output = await child.stdout.text();
  expect([what, await child.exited]).toEqual([what, 0]);
  return Number(output);
}

test.each(["records", "columns", "csv", "xlsx", "import"])(
  "%s: ten times the rows need the same memory",
  async (what) => {
    const few = await peakMb(what, FEW);
    const many = await peakMb(what, MANY);
    expect(many).toBeLessThan(few * MAX_RATIO + TOLERANCE_MB);
  },
  120_000,
);
