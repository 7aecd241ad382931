/** Incomplete, damaged and missing backups, and unusable targets: rejected without changing anything. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp, lockDataFolder } from "../../src/app.ts";
import { FolderTarget } from "../../src/backup/folder-target.ts";
import { listBackups } from "../../src/backup/list-backups.ts";
import { restoreBackup } from "../../src/backup/restore-backup.ts";
import { type BackupOptions, createBackup } from "../../src/backup/create-backup.ts";
import { readConfig } from "../../src/config.ts";
import { AppError } from "../../src/errors.ts";
import { openHome } from "../../src/home/home.ts";
import { systemClock } from "../../src/lib/time/clock.ts";
import { sha256Hex } from "../../src/lib/ids.ts";
import { acquireLock } from "../../src/sqlite/lock.ts";
import { Database } from "../../src/sqlite/database.ts";
import { sampleDocument, testApp } from "../helpers/app.ts";
import { upload } from "../helpers/attachments.ts";

let data: string;
let uuid: string;
/** Two backups of the data folder; each test has a copy. */
let whole: string;
let place: string;
let folder: string;
const folders: string[] = [];

beforeAll(async () => {
  const server = await testApp({ flags: { "attachments-inside": "1KB" } });
  uuid = (await sampleDocument(server)).doc;
  const large = [{ name: "large.txt", content: "large ".repeat(1000) }];
  expect((await upload(server, { doc: uuid, files: large })).body).toEqual([1]);
  await server.app.close();
  data = server.folder;
  folders.push(data);
  whole = join(freshFolder(), "backups");
  await backUp({ target: new FolderTarget(whole) });
  change();
  await backUp({ target: new FolderTarget(whole) });
});
beforeEach(() => {
  place = join(freshFolder(), "copy");
  cpSync(whole, place, { recursive: true });
  folder = join(freshFolder(), "data");
});
afterAll(() => {
  for (const one of folders) rmSync(one, { recursive: true, force: true });
});

function freshFolder(): string {
  const made = mkdtempSync(join(tmpdir(), "quern-test-"));
  folders.push(made);
  return made;
}

function change(): void {
  using db = new Database(join(data, "docs", uuid, "document.grist"));
  db.run("update _grist_DocInfo set timezone = 'UTC' || abs(random())");
}

const backUp = (options: Partial<BackupOptions> & Pick<BackupOptions, "target">) =>
  createBackup({ folder: data, keep: 0, keepSnapshots: 10, clock: systemClock, ...options });
const restore = (name?: string) => restoreBackup({ target: new FolderTarget(place), folder, name, clock: systemClock });

async function refusal(work: () => Promise<unknown>): Promise<AppError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

const manifests = () => readdirSync(join(place, "backups")).toSorted(undefined);
const newestManifest = (): string => join(place, "backups", manifests().at(-1) ?? "");
interface Entry {
  readonly sha256: string;
}
interface Listed {
  readonly home: Entry;
  readonly documents: {
    uuid: string;
    blob: Entry;
    attachments: { ident: string; blob: Entry }[];
    snapshots: { id: string; blob: Entry }[];
  }[];
}
const contents = (): Listed => (JSON.parse(readFileSync(newestManifest(), "utf8")) as { backup: Listed }).backup;
const fileOf = ({ sha256 }: Entry): string => join(place, "blobs", sha256.slice(0, 2), `${sha256}.zst`);
const first = <T>(items: readonly T[] | undefined): T => {
  const [item] = items ?? [];
  if (item === undefined) throw new Error("there is none");
  return item;
};
const PARTS: Record<string, () => Entry> = {
  "the home database": () => contents().home,
  "a document": () => first(contents().documents).blob,
  "an attachment": () => first(first(contents().documents).attachments).blob,
  "a snapshot": () => first(first(contents().documents).snapshots.slice(-1)).blob,
};

/** Rewrites the manifest with a valid checksum, as an attacker could. */
function forge(change: (listed: Listed & Record<string, unknown>) => void): void {
  const { backup } = JSON.parse(readFileSync(newestManifest(), "utf8")) as { backup: Listed & Record<string, unknown> };
  change(backup);
  writeFileSync(newestManifest(), JSON.stringify({ checksum: sha256Hex(JSON.stringify(backup)), backup }));
}

describe.each(Object.entries(PARTS))("a backup in which %s", (_, part) => {
  test("is missing", async () => {
    rmSync(fileOf(part()));
    const { code, message } = await refusal(restore);
    expect({ code, message }).toEqual({ code: "damaged", message: expect.stringContaining("is incomplete: 1 of its") });
    expect(existsSync(folder)).toBe(false);
  });

  test.each<[string, (file: string) => void]>([
    ["is cut off", (file) => truncateSync(file, readFileSync(file).length - 7)],
    ["is empty", (file) => truncateSync(file, 0)],
    ["has something behind it", (file) => appendFileSync(file, "more")],
    ["has a byte changed", (file) => writeFileSync(file, flipped(readFileSync(file)))],
    ["is another file", (file) => writeFileSync(file, "something else")],
    ["is another content of the backup", (file) => cpSync(fileOf(otherThan(part())), file)],
  ])("%s", async (_name, damage) => {
    damage(fileOf(part()));
    const { code, message } = await refusal(restore);
    expect(code).toBe("damaged");
    expect(message).toMatch(/^the backup \d{8}T\d{9}Z (is damaged: .*checksum|in .* is incomplete)/);
    expect(existsSync(folder)).toBe(false);
  });
});

function flipped(bytes: Buffer): Buffer {
  const at = bytes.length >> 1;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
}

const otherThan = ({ sha256 }: Entry): Entry =>
  first(
    Object.values(PARTS)
      .map((part) => part())
      .filter((one) => one.sha256 !== sha256),
  );

describe("a manifest that", () => {
  test.each<[string, () => void]>([
    ["is cut off", () => truncateSync(newestManifest(), 100)],
    ["is empty", () => truncateSync(newestManifest(), 0)],
    [
      "was changed",
      () =>
        writeFileSync(
          newestManifest(),
          readFileSync(newestManifest(), "utf8").replace('"elsewhere":0', '"elsewhere":1'),
        ),
    ],
    ["leads out of the folder", () => forge(({ documents }) => void (first(documents).uuid = "../../x"))],
    [
      "names an attachment that leads out",
      () => forge(({ documents }) => void (first(first(documents).attachments).ident = "../x")),
    ],
    [
      "names a snapshot that leads out",
      () => forge(({ documents }) => void (first(first(documents).snapshots).id = "../x")),
    ],
    ["has no documents", () => forge((listed) => void delete (listed as { documents?: unknown }).documents)],
  ])("%s is refused, and the older backup can be used", async (_, damage) => {
    damage();
    expect((await refusal(restore)).code).toBe("damaged");
    expect(existsSync(folder)).toBe(false);
    const [broken, good] = await listBackups(new FolderTarget(place));
    expect(broken).toMatchObject({ createdAt: null, damage: expect.stringContaining("is damaged") });
    expect(good).toMatchObject({ documents: 1, damage: null });
    expect((await restore(good?.name)).documents).toMatchObject([{ uuid, problems: [] }]);
  });

  test("was written by a newer program is rejected as such", async () => {
    forge((listed) => void (listed["format"] = 2));
    const { code, message } = await refusal(restore);
    expect({ code, message }).toEqual({ code: "invalid", message: expect.stringContaining("newer version") });
  });
});

test("a backup after a damaged one succeeds and adds the missing blobs", async () => {
  for (const part of Object.values(PARTS)) rmSync(fileOf(part()), { force: true });
  truncateSync(newestManifest(), 5);
  const { name, problems } = await backUp({ target: new FolderTarget(place) });
  expect(problems).toEqual([]);
  expect(await restore()).toMatchObject({ name, documents: [{ uuid, problems: [] }] });
});

describe("nothing is overwritten:", () => {
  test.each([["home.sqlite"], ["docs"], ["anything.txt"]])("a folder with %s", async (name) => {
    mkdirSync(folder);
    writeFileSync(join(folder, name), "mine");
    const { code, message } = await refusal(restore);
    expect({ code, message }).toEqual({
      code: "conflict",
      message: `the data folder ${folder} is not empty (${name}); choose an empty folder`,
    });
    expect(readdirSync(folder)).toEqual([name]);
    expect(readFileSync(join(folder, name), "utf8")).toBe("mine");
  });

  test("an empty folder, and one with an unheld lock, are accepted", async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, "lock"), "");
    expect((await restore()).documents).toHaveLength(1);
    expect((await refusal(restore)).code).toBe("conflict");
  });

  test("a folder locked by a server", async () => {
    mkdirSync(folder);
    using _lock = acquireLock(join(folder, "lock"));
    expect((await refusal(restore)).message).toContain("in use by a server");
  });

  test("a folder with an interrupted restore: no server starts on it either", async () => {
    mkdirSync(join(folder, ".restoring"), { recursive: true });
    expect((await refusal(restore)).message).toContain("or was interrupted");
    const config = readConfig({ data: folder }, {});
    expect(() => lockDataFolder(config)).toThrow("or was interrupted");
    expect(() => createApp(config)).toThrow("or was interrupted");
  });
});

describe("a target is rejected that", () => {
  test("contains other files, which stay", async () => {
    const other = freshFolder();
    writeFileSync(join(other, "thesis.txt"), "mine");
    expect((await refusal(() => backUp({ target: new FolderTarget(other) }))).message).toContain("other files");
    expect(readdirSync(other)).toEqual(["thesis.txt"]);
  });

  test("another backup is writing to", async () => {
    using _lock = acquireLock(join(place, "lock"));
    const { code, message } = await refusal(() => backUp({ target: new FolderTarget(place) }));
    expect({ code, message }).toEqual({ code: "conflict", message: `another backup is being made in ${place}` });
  });

  test("contains no backup, or not the given one", async () => {
    expect((await refusal(() => restore("20200101T000000000Z"))).code).toBe("notFound");
    expect((await refusal(() => restore("../../secrets"))).code).toBe("notFound");
    place = freshFolder();
    expect((await refusal(restore)).message).toBe(`no backups in ${place}`);
    place = join(place, "nothing");
    expect((await refusal(restore)).message).toBe(`no backups in ${place}`);
    expect(existsSync(place)).toBe(false);
  });

  test("is a file", async () => {
    const file = join(freshFolder(), "file");
    writeFileSync(file, "");
    expect((await refusal(() => backUp({ target: new FolderTarget(file) }))).code).toBe("storage");
  });
});

test("a data folder is backed up by one process at a time", async () => {
  using _lock = acquireLock(join(data, "backup.lock"));
  expect((await refusal(() => backUp({ target: new FolderTarget(place) }))).message).toContain("another backup of");
});

test("an empty folder cannot be backed up", async () => {
  const empty = join(freshFolder(), "data");
  const target = new FolderTarget(join(freshFolder(), "backups"));
  expect((await refusal(() => backUp({ folder: empty, target }))).message).toBe(`no home database in ${empty}`);
  expect(existsSync(empty) || existsSync(target.label)).toBe(false);
});

/** A target that calls a function when a blob is stored. */
class EventfulTarget extends FolderTarget {
  #happen: (() => void) | undefined;

  constructor(folder: string, happen: () => void) {
    super(folder);
    this.#happen = happen;
  }

  override async put(key: string, file: string): Promise<void> {
    const happen = this.#happen;
    this.#happen = undefined;
    happen?.();
    await super.put(key, file);
  }
}

describe("while a backup is running", () => {
  let own: string;
  let docs: string[];
  beforeEach(async () => {
    const server = await testApp();
    const { workspaceId, doc } = await sampleDocument(server);
    docs = [doc];
    for (const name of ["b", "c"])
      docs.push(await server.must("POST", `/api/workspaces/${workspaceId}/docs`, { name }));
    await server.must("PATCH", `/api/docs/${doc}/access`, { delta: { users: { "vito@example.com": "viewers" } } });
    await server.app.close();
    own = server.folder;
    folders.push(own);
    place = join(freshFolder(), "backups");
  });

  const during = async (happen: () => void) => {
    await backUp({ folder: own, target: new EventfulTarget(place, happen) });
    return restore();
  };
  const restoredUuids = (): string[] => {
    using home = openHome(folder);
    return home.raw
      .all<{ uuid: string }>("select uuid from documents")
      .map((row) => row.uuid)
      .toSorted(undefined);
  };

  test("a deleted document is included completely or not included", async () => {
    const [, , gone = ""] = docs;
    const { documents } = await during(() => {
      using home = openHome(own);
      home.raw.run("delete from documents where uuid = ?", gone);
      rmSync(join(own, "docs", gone), { recursive: true });
    });
    expect(documents.map((one) => one.uuid)).not.toContain(gone);
    expect(restoredUuids()).toEqual(docs.slice(0, 2).toSorted(undefined));
    expect(readdirSync(join(folder, "docs")).toSorted(undefined)).toEqual(restoredUuids());
  });

  test("a created document is included with its file", async () => {
    const made = "11111111-1111-4111-8111-111111111111";
    const { documents } = await during(() => {
      cpSync(join(own, "docs", docs[0] ?? ""), join(own, "docs", made), { recursive: true });
      using home = openHome(own);
      home.documents.add({ uuid: made, name: "made", workspaceId: 1 });
    });
    expect(documents.map((one) => one.uuid)).toContain(made);
    expect(readdirSync(join(folder, "docs")).toSorted(undefined)).toEqual(restoredUuids());
  });

  test("a user who loses access has none in the backup", async () => {
    await during(() => {
      using home = openHome(own);
      home.raw.exec("delete from grants where role = 'viewers'");
    });
    using home = openHome(folder);
    expect(home.raw.all("select * from grants where role = 'viewers'")).toEqual([]);
  });
});

/** A small disk, if this machine can mount one. */
const disk = mkdtempSync(join(tmpdir(), "quern-disk-"));
const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=500k", "tmpfs", disk]).success;
afterAll(() => {
  if (mounted) Bun.spawnSync(["umount", disk]);
  rmSync(disk, { recursive: true, force: true });
});

// Only root may mount one.
describe.skipIf(!mounted)("on a disk that is full", () => {
  test("a backup is rejected, and leaves only the existing files", async () => {
    const target = new FolderTarget(join(disk, "backups"));
    await backUp({ target });
    const before = await listBackups(target);
    expect(before).toHaveLength(1);
    {
      using db = new Database(join(data, "docs", uuid, "document.grist"));
      db.run("create table Noise (id integer primary key, bytes blob)");
      db.run("insert into Noise (bytes) values (randomblob(600000))");
    }
    const stored = () => readdirSync(join(disk, "backups/blobs"), { recursive: true }).length;
    const count = stored();
    const { code, message } = await refusal(() => backUp({ target }));
    expect(code).toBe("storage");
    expect(message).toContain("disk is full");
    expect(await listBackups(target)).toEqual(before);
    expect([stored(), readdirSync(join(disk, "backups/tmp"))]).toEqual([count, []]);
  });

  test("a restore is rejected, and leaves no files", async () => {
    folder = join(disk, "data");
    const { code, message } = await refusal(restore);
    expect({ code, message }).toEqual({ code: "storage", message: "the disk is full; nothing was restored" });
    expect(existsSync(folder)).toBe(false);
  });
});
