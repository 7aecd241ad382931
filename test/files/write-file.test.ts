import { expect, test } from "bun:test";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { writeStreamToFile } from "../../src/files/write-file.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

test("a source that fails at once leaves no file that appears after its removal", async () => {
  const folder = tempFolder();
  for (let i = 0; i < 50; i++) {
    const path = join(folder, String(i));
    const source = new Readable({ read: () => undefined });
    const written = writeStreamToFile(source, path, 100);
    source.push("x");
    source.destroy(new Error("aborted"));
    expect(await written.catch((error: Error) => error.message)).toBe("aborted");
    rmSync(path, { force: true });
  }
  await Bun.sleep(50);
  expect(readdirSync(folder)).toEqual([]);
});

test("a file that cannot be created is reported", async () => {
  const path = join(tempFolder(), "missing", "file");
  const error: unknown = await writeStreamToFile(Readable.from(["x"]), path, 100).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "ENOENT" });
});
