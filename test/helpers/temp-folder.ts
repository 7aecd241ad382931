import { afterAll } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const createdFolders: string[] = [];
const endings: (() => Promise<void>)[] = [];

/** Runs `work` after the last test of this process. */
export const afterAllTests = (work: () => Promise<void>): number => endings.push(work);

/** Creates a folder that is removed after the tests. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "quern-test-"));
  createdFolders.push(folder);
  return folder;
}

afterAll(async () => {
  for (const work of endings.splice(0)) await work();
  for (const folder of createdFolders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
