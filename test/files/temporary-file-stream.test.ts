import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { streamAndDelete } from "../../src/files/temporary-file-stream.ts";
import { TemporarySpace } from "../../src/lib/temporary-space.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

function file(content: Uint8Array): string {
  const path = join(tempFolder(), "f");
  writeFileSync(path, content);
  return path;
}

const space = new TemporarySpace({ folder: tempFolder(), maxBytes: 1_000_000, limitError: () => new Error("limit") });

test.each([0, 1, 262_144, 600_001])("streams %i bytes and deletes the file immediately", async (size) => {
  const bytes = Buffer.from(Array.from({ length: size }, (_, i) => i % 251));
  const path = file(bytes);
  const stream = await streamAndDelete(path, space);
  expect(existsSync(path)).toBe(false);
  expect(space.usedBytes()).toBe(size);
  expect(Buffer.from(await new Response(stream).arrayBuffer()).equals(bytes)).toBe(true);
  expect(space.usedBytes()).toBe(0);
});

test("the stream can be cancelled", async () => {
  const stream = await streamAndDelete(file(new Uint8Array(1_000_000)), space);
  const reader = stream.getReader();
  expect((await reader.read()).value?.length).toBe(262_144);
  await reader.cancel();
  expect(space.usedBytes()).toBe(0);
});

test("a missing file is an error", async () => {
  const error = await streamAndDelete(join(tempFolder(), "none"), space).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "ENOENT" });
});
