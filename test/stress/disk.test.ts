import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, existsSync, lstatSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Change } from "../../scripts/stress/disk/changes.ts";
import { SimulatedDisk } from "../../scripts/stress/disk/simulated-disk.ts";
import { unavailableReason, wrapperCommand } from "../../scripts/stress/disk/shim.ts";
import { readChanges } from "../../scripts/stress/disk/changes.ts";
import { createRandom } from "../../scripts/stress/random.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

const TRIES = 160;
const bytes = (text: string) => new TextEncoder().encode(text);

/** Returns a folder with the file `a`, its model, and functions that change both. */
function setUp() {
  const root = join(tempFolder(), "root");
  mkdirSync(root);
  writeFileSync(join(root, "a"), "old");
  const inode = lstatSync(join(root, "a")).ino;
  const folder = lstatSync(root).ino;
  let number = 0;
  const numbered = () => ({ number: number++, end: 0 });
  return { root, inode, folder, numbered, disk: new SimulatedDisk(root) };
}

/** Returns the possible contents of a file after a power cut, null if it may be missing. */
function outcomes(disk: SimulatedDisk, name: string): Set<string | null> {
  const found = new Set<string | null>();
  for (let seed = 0; seed < TRIES; seed++) {
    const left = join(tempFolder(), "left");
    disk.writeSurvivingState(left, createRandom(seed));
    found.add(existsSync(join(left, name)) ? readFileSync(join(left, name), "utf8") : null);
  }
  return found;
}

describe("after a power cut", () => {
  test("unsynced writes may survive completely, partially or not", () => {
    const { disk, inode, numbered } = setUp();
    disk.apply({ ...numbered(), kind: "write", inode, offset: 0, data: bytes("NEW") });
    expect(outcomes(disk, "a")).toEqual(new Set(["NEW", "NEd", "Nld", "old"]));
  });

  test("synced writes survive", () => {
    const { disk, inode, numbered } = setUp();
    disk.apply({ ...numbered(), kind: "write", inode, offset: 0, data: bytes("new") });
    disk.apply({ ...numbered(), kind: "sync", inode, before: 1 });
    expect(outcomes(disk, "a")).toEqual(new Set(["new"]));
  });

  test("writes during a sync are not durable", () => {
    const { disk, inode, numbered } = setUp();
    disk.apply({ ...numbered(), kind: "write", inode, offset: 0, data: bytes("x") });
    disk.apply({ ...numbered(), kind: "write", inode, offset: 1, data: bytes("y") });
    disk.apply({ ...numbered(), kind: "sync", inode, before: 1 });
    expect(outcomes(disk, "a")).toEqual(new Set(["xyd", "xld"]));
  });

  test("sectors and sizes are lost independently", () => {
    const { disk, inode, numbered } = setUp();
    disk.apply({ ...numbered(), kind: "resize", inode, size: 0 });
    disk.apply({ ...numbered(), kind: "write", inode, offset: 0, data: bytes("1".repeat(1024)) });
    const found = [...outcomes(disk, "a")].map((text) => text ?? "");
    expect(found.some((text) => text.startsWith("\0") && text.endsWith("1"))).toBe(true);
    expect(found.some((text) => text.startsWith("1") && text.endsWith("\0"))).toBe(true);
    expect(found.filter((text) => text.length < 5).toSorted()).toEqual(expect.arrayContaining(["", "old"]));
  });

  test("a new name is durable only after its folder was synced", () => {
    const { root, disk, folder, numbered } = setUp();
    disk.apply({ ...numbered(), kind: "create", path: join(root, "b"), inode: 1 });
    disk.apply({ ...numbered(), kind: "write", inode: 1, offset: 0, data: bytes("b") });
    disk.apply({ ...numbered(), kind: "sync", inode: 1, before: 2 });
    expect(outcomes(disk, "b")).toEqual(new Set(["b", null]));
    disk.apply({ ...numbered(), kind: "sync", inode: folder, before: 3 });
    expect(outcomes(disk, "b")).toEqual(new Set(["b"]));
  });

  test("a replaced file is completely the old or the new one", () => {
    const { root, disk, numbered } = setUp();
    disk.apply({ ...numbered(), kind: "create", path: join(root, "b"), inode: 1 });
    disk.apply({ ...numbered(), kind: "write", inode: 1, offset: 0, data: bytes("new") });
    disk.apply({ ...numbered(), kind: "sync", inode: 1, before: 2 });
    disk.apply({ ...numbered(), kind: "rename", path: join(root, "b"), to: join(root, "a") });
    expect(outcomes(disk, "a")).toEqual(new Set(["old", "new"]));
  });

  test("a file moved between folders is in exactly one of them", () => {
    const { root, disk, numbered } = setUp();
    for (const [index, name] of ["from", "to"].entries()) {
      disk.apply({ ...numbered(), kind: "mkdir", path: join(root, name), inode: 10 + index });
      disk.apply({ ...numbered(), kind: "sync", inode: lstatSync(root).ino, before: 100 });
    }
    disk.apply({ ...numbered(), kind: "create", path: join(root, "from/x"), inode: 1 });
    disk.apply({ ...numbered(), kind: "rename", path: join(root, "from/x"), to: join(root, "to/x") });
    disk.apply({ ...numbered(), kind: "sync", inode: 11, before: 100 });
    expect(outcomes(disk, "from/x")).toEqual(new Set([null]));
    expect(outcomes(disk, "to/x")).toEqual(new Set([""]));
  });
});

const missing = unavailableReason();
test.skipIf(missing !== undefined)("records all changes of a program", async () => {
  const folder = tempFolder();
  const [root, log] = [join(folder, "root"), join(folder, "log")];
  mkdirSync(root);
  const program = `
    import { Database } from "bun:sqlite";
    import { mkdirSync, openSync, fsyncSync, renameSync, rmSync, writeFileSync } from "node:fs";
    const root = ${JSON.stringify(root)};
    mkdirSync(root + "/d");
    writeFileSync(root + "/d/plain", "plain text");
    fsyncSync(openSync(root + "/d/plain", "r+"));
    renameSync(root + "/d/plain", root + "/d/moved");
    await Bun.write(root + "/d/copy", Bun.file(root + "/d/moved"));
    const db = new Database(root + "/db");
    db.run("pragma journal_mode = wal");
    db.run("create table t as select 5 as five");
    db.close();
    writeFileSync(root + "/gone", "x");
    rmSync(root + "/gone");
  `;
  const empty = new SimulatedDisk(root);
  const words = [...wrapperCommand(folder, { record: { root, log } }), process.execPath, "-e", program];
  const done = Bun.spawnSync(words, { stderr: "inherit" });
  expect(done.exitCode).toBe(0);
  const changes = readChanges(readFileSync(log));
  const kinds = new Set<Change["kind"]>(changes.map(({ kind }) => kind));
  expect([...kinds].toSorted()).toEqual(["create", "mkdir", "rename", "resize", "sync", "unlink", "write"]);

  // All changes and no power cut: the model equals the folder.
  for (const change of changes) empty.apply(change);
  let isSame = false;
  for (let seed = 0; seed < TRIES && !isSame; seed++) {
    const left = join(tempFolder(), "left");
    empty.writeSurvivingState(left, createRandom(seed));
    isSame = ["d/moved", "d/copy", "db"].every(
      (name) => existsSync(join(left, name)) && readFileSync(join(left, name)).equals(readFileSync(join(root, name))),
    );
  }
  expect(isSame).toBe(true);
});
