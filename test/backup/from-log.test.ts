import { afterEach, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chainedChecksum } from "../../src/cluster/log/checksum-chain.ts";
import { appendRows } from "../../src/cluster/postgres/statements/appends.ts";
import { pointToBase, writeBaseChunk } from "../../src/cluster/postgres/statements/bases.ts";
import { publishBlob, writeBlobChunk } from "../../src/cluster/postgres/statements/blobs.ts";
import { encodePageSet } from "../../src/sqlite/wal/page-set.ts";
import { addDocument, addNode, createTestLog, sql, type TestLog } from "../cluster/postgres/log-fixture.ts";
import { HAS_POSTGRES, POSTGRES_NEEDED } from "../helpers/postgres.ts";
import { runQuern } from "../helpers/run-quern.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

const node = "node-1";
const contentEpoch = "content-1";
/** The times of the commits in the log. */
const T1 = "2026-01-01T10:00:00.000Z";
const T2 = "2026-01-01T11:00:00.000Z";
const T3 = "2026-01-01T12:00:00.000Z";

/** The content of an attachment that the first document refers to. */
const ATTACHED = "attached";
const ATTACHMENT = `${createHash("sha1").update(ATTACHED).digest("hex")}.txt`;

/** Writes versions of files into a log, as their owner does. */
class LogWriter {
  readonly #last = new Map<string, { seq: number; chain: string; file: Buffer }>();

  constructor(readonly log: TestLog) {}

  /** Publishes a file as a base that moves the head. */
  async base(doc: string, file: Buffer): Promise<void> {
    const { connection } = this.log;
    const last = this.#last.get(doc);
    if (!last) await addDocument(connection, { doc });
    const seq = (last?.seq ?? 0) + 1;
    const chain = chainedChecksum(last?.chain ?? "", { epoch: 1, seq, contentEpoch, bytes: null });
    const ref = `base-${seq}`;
    const parts = [file.subarray(0, 4096), file.subarray(4096)].map((part) => Bun.zstdCompressSync(part));
    for (const [chunk, bytes] of parts.entries()) await writeBaseChunk(connection, { doc, ref, chunk, bytes });
    const checksum = createHash("sha256").update(file).digest();
    const image = { sizeBytes: file.length, chunks: 2, storedBytes: 1, checksum, chain: Buffer.from(chain, "hex") };
    const change = { doc, node, base: { ref, seq, epoch: 1, contentEpoch, ...image }, advanceFrom: seq - 1 };
    expect(await pointToBase(connection, change)).toEqual({ kind: "appended" });
    this.#last.set(doc, { seq, chain, file });
  }

  /** Appends the pages in which a file differs from its last version. */
  async row(doc: string, file: Buffer): Promise<void> {
    const last = this.#last.get(doc);
    if (!last) throw new Error("no base");
    const pageSize = file.readUInt16BE(16);
    const pages = Array.from({ length: file.length / pageSize }, (_, i) =>
      file.subarray(i * pageSize, (i + 1) * pageSize),
    );
    const isChanged = (page: Buffer, i: number) => !page.equals(last.file.subarray(i * pageSize, (i + 1) * pageSize));
    const numbers = pages.flatMap((page, i) => (isChanged(page, i) ? [i + 1] : []));
    const content = Buffer.concat(numbers.map((number) => pages[number - 1] ?? Buffer.alloc(0)));
    const frames = encodePageSet({ pageSize, databasePages: pages.length, numbers, content });
    const seq = last.seq + 1;
    const chain = chainedChecksum(last.chain, { epoch: 1, seq, contentEpoch, bytes: frames });
    const rows = [{ seq, contentEpoch, frames, checksum: Buffer.from(chain, "hex") }];
    const append = { doc, node, epoch: 1, rows, dueAtMs: null };
    expect(await appendRows(this.log.connection, append)).toEqual({ kind: "appended" });
    this.#last.set(doc, { seq, chain, file });
  }

  /** Sets the time of a commit. */
  async time(doc: string, seq: number, at: string): Promise<void> {
    await sql(
      this.log.connection,
      "update quern.doc_log set appended_at = $3::timestamptz where doc = $1 and seq = $2::int",
      [doc, String(seq), at],
    );
    await sql(
      this.log.connection,
      "update quern.doc_base set committed_at = $3::timestamptz where doc = $1 and seq = $2::int",
      [doc, String(seq), at],
    );
  }
}

async function quern(...args: string[]): Promise<string> {
  const { status, out, err } = await runQuern(args);
  if (status !== 0) throw new Error(`quern ${args.join(" ")}: ${err.join("\n")}`);
  return out.join("\n");
}

interface Scenario {
  readonly log: TestLog;
  /** The ids of the two documents; the log does not have the second one. */
  readonly first: string;
  readonly second: string;
  /** The first document after each of its commits. */
  readonly versions: readonly Buffer[];
}

/**
 * T1: home with the first document. T2: the first document is changed. T3: it is changed again, and home has a second
 * document.
 */
async function prepare(): Promise<Scenario> {
  const data = tempFolder();
  writeFileSync(join(data, "Prices.csv"), "Item,Price\nBell,12.50\n");
  await quern("user", "add", "--email", "ada@example.com", "--name", "Ada", "--data", data);
  await quern("org", "create", "--domain", "team", "--name", "Team", "--owner", "ada@example.com", "--data", data);
  const importFile = () =>
    quern(
      "doc",
      "import",
      "--org",
      "team",
      "--workspace",
      "Home",
      "--as",
      "ada@example.com",
      join(data, "Prices.csv"),
      "--data",
      data,
    );
  const home = () => readFileSync(join(data, "home.sqlite"));
  const log = await createTestLog();
  await addNode(log.connection, node);
  const writer = new LogWriter(log);
  const first = await importFile();
  const path = join(data, "docs", first, "document.grist");
  await writer.base("home", home());
  {
    using db = new Database(path);
    db.run("insert into _gristsys_Files (ident, storageId) values (?, 'quern-folder')", [ATTACHMENT]);
  }
  const versions = [readFileSync(path)];
  await writer.base(first, readFileSync(path));
  for (const price of [20, 30]) {
    const db = new Database(path);
    db.run("update Prices set Price = ?", [price]);
    db.close();
    versions.push(readFileSync(path));
    await writer.row(first, readFileSync(path));
  }
  const second = await importFile();
  await writer.row("home", home());
  for (const [doc, seq, at] of [
    ["home", 1, T1],
    [first, 1, T1],
    [first, 2, T2],
    [first, 3, T3],
    ["home", 2, T3],
  ] as const) {
    await writer.time(doc, seq, at);
  }
  return { log, first, second, versions };
}

const priceIn = (path: string): unknown => {
  using db = new Database(path, { readonly: true });
  return db.query("select Price from Prices").get();
};

const documentsOf = (folder: string): unknown[] => {
  using db = new Database(join(folder, "home.sqlite"), { readonly: true });
  return db.query("select uuid from documents order by id").values().flat();
};

/** A text that changes with any content of the log. */
const contentOf = async ({ connection }: TestLog): Promise<string> => {
  const tables = ["installation", "node", "doc_owner", "doc_log", "doc_base", "doc_base_chunk", "doc_blob"];
  const sums = tables.map((table) =>
    sql(connection, `select md5(string_agg(t::text, '' order by t::text)) from quern.${table} t`),
  );
  return JSON.stringify(await Promise.all(sums));
};

const open: Scenario[] = [];
const scenario = async (): Promise<Scenario> => {
  const prepared = await prepare();
  open.push(prepared);
  return prepared;
};
afterEach(async () => {
  for (const { log } of open.splice(0)) await log[Symbol.asyncDispose]();
});

describe.skipIf(!HAS_POSTGRES)(`quern restore --from-log${POSTGRES_NEEDED}`, () => {
  test("rebuilds home and documents as they were at a moment, and never writes to the log", async () => {
    const { log, first, second } = await scenario();
    const before = await contentOf(log);
    const restoreTo = async (...args: string[]) => {
      const folder = join(tempFolder(), "restored");
      return { folder, ...(await runQuern(["restore", "--from-log", log.url, "--to", folder, ...args])) };
    };
    const early = await restoreTo("--at", "2026-01-01T11:59:59.999Z");
    expect(early).toMatchObject({ status: 0, err: [] });
    expect(early.out).toEqual([
      `${first}\tPrices\tok`,
      `Restored the log at 2026-01-01T11:59:59.999Z with 1 document to ${early.folder}`,
    ]);
    expect(documentsOf(early.folder)).toEqual([first]);
    expect(priceIn(join(early.folder, "docs", first, "document.grist"))).toEqual({ Price: 20 });
    expect(readdirSync(join(early.folder, "docs", first))).toEqual(["document.grist"]);

    const exact = await restoreTo("--at", T3);
    expect(priceIn(join(exact.folder, "docs", first, "document.grist"))).toEqual({ Price: 30 });
    const latest = await restoreTo();
    expect(latest).toMatchObject({ status: 0, err: [] });
    expect(latest.out[1]).toBe(`${second}\tPrices\tleft out: the log does not have it at that time`);
    expect(documentsOf(latest.folder)).toEqual([first]);
    expect(priceIn(join(latest.folder, "docs", first, "document.grist"))).toEqual({ Price: 30 });
    expect(await quern("user", "list", "--data", latest.folder)).toContain("ada@example.com");

    const tooEarly = await restoreTo("--at", "2026-01-01T09:00:00+00:00");
    expect(tooEarly).toMatchObject({
      status: 1,
      err: ["quern restore: the log has no content at 2026-01-01T09:00:00.000Z"],
    });
    expect(existsSync(tooEarly.folder)).toBe(false);
    expect(await contentOf(log)).toBe(before);
  });

  test("restores one document at a moment or a commit, with the attachments that it refers to", async () => {
    const { log, first, versions } = await scenario();
    for (const [hash, ref] of [
      [ATTACHMENT, "bytes"],
      // One that the document does not refer to.
      [ATTACHMENT.replace("txt", "md"), "other"],
    ] as const) {
      const blob = { doc: first, ref };
      await writeBlobChunk(log.connection, { ...blob, chunk: 0, bytes: new TextEncoder().encode(ATTACHED) });
      await publishBlob(log.connection, { ...blob, hash, sizeBytes: ATTACHED.length, inBucket: false });
    }
    const restoreDocument = async (...args: string[]) => {
      const folder = join(tempFolder(), "restored");
      const outcome = await runQuern(["restore", "--from-log", log.url, "--doc", first, "--to", folder, ...args]);
      return { folder, ...outcome };
    };
    for (const [args, seq] of [
      [["--seq", "1"], 1],
      [["--at", T2], 2],
      [[], 3],
    ] as const) {
      const { folder, status, out } = await restoreDocument(...args);
      const file = join(folder, "document.grist");
      expect({ status, out }).toEqual({ status: 0, out: [`Restored commit ${seq} of ${first} to ${file}`] });
      expect(readFileSync(file).equals(versions[seq - 1] ?? Buffer.alloc(0))).toBe(true);
      expect(readdirSync(join(folder, "attachments"))).toEqual([ATTACHMENT]);
      expect(readFileSync(join(folder, "attachments", ATTACHMENT), "utf8")).toBe(ATTACHED);
    }
    const missing = await restoreDocument("--seq", "9");
    expect(missing).toMatchObject({
      status: 1,
      err: [`quern restore: the log has no content of document ${first} at commit 9`],
    });
    expect(existsSync(missing.folder)).toBe(false);
  });

  test("refuses a damaged log and leaves no folder", async () => {
    const { log, first } = await scenario();
    await sql(log.connection, "update quern.doc_log set checksum = '\\x00' where seq = 2");
    const folder = join(tempFolder(), "restored");
    const { status, err } = await runQuern(["restore", "--from-log", log.url, "--to", folder]);
    expect({ status, err }).toEqual({
      status: 1,
      err: ["quern restore: the log of document home is damaged: The checksum of row 2 does not match its content"],
    });
    expect(existsSync(folder)).toBe(false);
    const atFirst = await runQuern(["restore", "--from-log", log.url, "--to", folder, "--doc", first, "--seq", "1"]);
    expect(atFirst.status).toBe(0);
    await sql(
      log.connection,
      "update quern.doc_base_chunk set bytes = (select bytes from quern.doc_base_chunk where doc = 'home' and chunk = 1) where doc <> 'home' and chunk = 0",
    );
    const broken = await runQuern([
      "restore",
      "--from-log",
      log.url,
      "--to",
      `${folder}-2`,
      "--doc",
      first,
      "--seq",
      "1",
    ]);
    expect(broken.err[0]).toContain("The checksum of base base-1 does not match its content");
    expect(existsSync(`${folder}-2`)).toBe(false);
  });

  test("refuses existing targets and options that do not fit", async () => {
    const { log, first } = await scenario();
    const folder = tempFolder();
    mkdirSync(join(folder, "docs"));
    const errorOf = async (...args: string[]) => {
      const { status, err } = await runQuern(["restore", ...args]);
      expect(status).toBe(1);
      return err.join("\n").replace("quern restore: ", "");
    };
    const fromLog = ["--from-log", log.url];
    expect(await errorOf(...fromLog, "--to", folder)).toContain("is not empty (docs); choose an empty folder");
    expect(await errorOf(...fromLog, "--doc", first, "--to", folder)).toBe(`${folder} exists; choose another folder`);
    expect(await errorOf(...fromLog, "--doc", first)).toBe("--to DIR is missing");
    expect(await errorOf(...fromLog, "--seq", "1")).toBe("--seq needs --doc");
    expect(await errorOf(...fromLog, "--doc", first, "--to", "x", "--seq", "1", "--at", T1)).toBe(
      "use --at or --seq, not both",
    );
    expect(await errorOf(...fromLog, "--at", "yesterday")).toStartWith("--at must be a time such as");
    expect(await errorOf(...fromLog, "--at", "2026-01-01T10:00:00")).toStartWith("--at must be a time such as");
    expect(await errorOf(...fromLog, "--to", `${folder}/x`, "--at", "2999-01-01T00:00:00Z")).toContain(
      "is in the future of PostgreSQL",
    );
    expect(await errorOf(...fromLog, "--from", folder)).toBe("either --from or --from-log is required");
    expect(await errorOf("--from", folder, "--at", T1)).toBe("--at needs --from-log");
    expect(await errorOf(...fromLog, "--backup", "x")).toBe("--backup needs --from");
    expect(await errorOf()).toBe("either --from or --from-log is required");
    expect(readdirSync(folder)).toEqual(["docs"]);
  });
});
