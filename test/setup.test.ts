import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "./helpers/temp-folder.ts";

test("applies the timeout of setup.ts to every file of a run", async () => {
  const folder = tempFolder();
  for (const name of ["a", "b", "c"]) {
    const text = `import { test } from "bun:test"; test("sleeps", () => Bun.sleep(30));`;
    writeFileSync(join(folder, `${name}.test.ts`), text);
  }
  const words = [process.execPath, "test", "--timeout=1", "--preload", join(import.meta.dir, "setup.ts")];
  const child = Bun.spawn(words, { cwd: folder, stdout: "pipe", stderr: "pipe" });
  expect(await child.stderr.text()).toContain(" 3 pass");
  expect(await child.exited).toBe(0);
});
