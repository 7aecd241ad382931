import { expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { tempFolder } from "./helpers/temp-folder.ts";

/** Runs the conformance program with a folder of one case, `records/add.json`. */
async function runConformance(...args: string[]): Promise<{ status: number; error: string }> {
  const folder = tempFolder();
  await mkdir(join(folder, "cases/records"), { recursive: true });
  await Bun.write(join(folder, "cases/records/add.json"), "{}");
  const program = join(import.meta.dir, "../scripts/conformance.ts");
  const child = Bun.spawn([process.execPath, program, "--cases", folder, ...args], { stdout: "pipe", stderr: "pipe" });
  return { error: await child.stderr.text(), status: await child.exited };
}

test.each(["actions/", "Oracle", "documents/", "missing"])(
  "a conformance run of nothing (--only %s) is refused",
  async (only) => {
    const { status, error } = await runConformance("--only", only);
    expect(error).toContain(`--only ${only} matches no case`);
    expect(status).not.toBe(0);
  },
);
