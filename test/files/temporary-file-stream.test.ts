import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { streamAndDelete } from "../../src/files/temporary-file-stream.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

function file(content: Uint8Array): string {
  const path = join(tempFolder(), "f");
  writeFileSync(path, content);
  return path;
}

test.each([0, 1, 262_144, 600_001])("streams %i bytes and deletes the file immediately", async (size) => {
  const bytes = Buffer.from(Array.from({ length: size }, (_, i) => i % 251));
  const path = file(bytes);
  const stream = await streamAndDelete(path);
  expect(existsSync(path)).toBe(false);
  expect(Buffer.from(await new Response(stream).arrayBuffer()).equals(bytes)).toBe(true);
});

test("the stream can be cancelled", async () => {
  const stream = await streamAndDelete(file(new Uint8Array(1_000_000)));
  const reader = stream.getReader();
  expect((await reader.read()).value?.length).toBe(262_144);
  await reader.cancel();
});

test("a missing file is an error", async () => {
  const error = await streamAndDelete(join(tempFolder(), "none")).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "ENOENT" });
});
