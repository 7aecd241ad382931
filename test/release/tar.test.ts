/** Archives of a release are reproducible. */
import { expect, test } from "bun:test";
import { unpackTar } from "modern-tar";
import { compress } from "../../scripts/release/archive.ts";
import { packItems, type TarItem } from "../../scripts/release/tar.ts";

const TIME = new Date(1_700_000_000_000);
const content = new TextEncoder().encode("content");
const items: TarItem[] = [
  { path: "top/b/file", mode: 0o644, content },
  { path: "top/run", mode: 0o755, content },
  { path: "top/link", linkTo: "run" },
  { path: "top/data", mode: 0o700, id: 10001 },
];

test("the same items in another order result in the same bytes, compressed too", async () => {
  const [one, other] = [await packItems(items, TIME), await packItems(items.toReversed(), TIME)];
  expect(Bun.hash(one)).toBe(Bun.hash(other));
  expect(Bun.hash(await compress(one, 19))).toBe(Bun.hash(await compress(other, 19)));
});

test("entries are sorted with their folders, have one time, and belong to root unless stated otherwise", async () => {
  const entries = await unpackTar(await packItems(items, TIME));
  expect(entries.map(({ header }) => header.name)).toEqual([
    "top/",
    "top/b/",
    "top/b/file",
    "top/data/",
    "top/link",
    "top/run",
  ]);
  for (const { header } of entries) expect(header.mtime).toEqual(TIME);
  expect(entries.filter(({ header }) => header.uid !== 0 || header.gid !== 0)).toHaveLength(1);
  expect(entries.map(({ header }) => header.mode)).toEqual([0o755, 0o755, 0o644, 0o700, 0o777, 0o755]);
  expect(entries.find(({ header }) => header.type === "symlink")?.header.linkname).toBe("run");
});
