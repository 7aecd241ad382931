/** A node with plain SQLite files as documents, whose commits it appends to a real log. */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { NodeSession } from "../../../src/cluster/node/node-session.ts";
import type { HeldDocumentFile } from "../../../src/cluster/log/base-writer.ts";
import type { LocalDocuments } from "../../../src/cluster/log/local-documents.ts";
import type { SharingOptions } from "../../../src/cluster/log/sharing.ts";
import { OwnedDocuments } from "../../../src/cluster/log/owned-documents.ts";
import { LogDatabase } from "../../../src/cluster/postgres/log-database.ts";
import type { ContentCount } from "../../../src/cluster/protocol/log-types.ts";
import type { AppError } from "../../../src/errors.ts";
import { AnswerGate } from "../../../src/hosts/answer-gate.ts";
import { randomHex } from "../../../src/lib/ids.ts";
import { createLog } from "../../../src/lib/observability/log.ts";
import { systemTimers } from "../../../src/lib/time/timers.ts";
import { Database } from "../../../src/sqlite/database.ts";
import { encodePageSet } from "../../../src/sqlite/wal/page-set.ts";
import { WalReader } from "../../../src/sqlite/wal/wal-reader.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";

interface OpenFile {
  readonly db: Database;
  readonly reader: WalReader;
  readonly contentEpoch: string;
  seq: number;
}

/** SQLite files with one table, and the row that identifies a content. */
export class PlainDocuments implements LocalDocuments {
  readonly folder: string;
  readonly #open = new Map<string, OpenFile>();
  onCommitted: OwnedDocuments["committed"] = () => {};
  /** Pages of commits that are reported as too large for the log. */
  isLarge = false;

  constructor(folder = tempFolder()) {
    this.folder = folder;
  }

  files(doc: string) {
    const folder = join(this.folder, doc);
    mkdirSync(folder, { recursive: true });
    return { path: join(folder, "document"), notePath: join(folder, "log-state") };
  }

  /** Creates the file of a document with the count 1. */
  create(doc: string): ContentCount {
    using db = new Database(this.files(doc).path, { create: true, journal: "wal" });
    const epoch = randomHex(8);
    db.exec("create table _quern_commit (id integer primary key, epoch text, seq integer)");
    db.exec("create table items (id integer primary key, text text)");
    db.run("insert into _quern_commit values (1, ?, 1)", epoch);
    db.exec("pragma wal_checkpoint(truncate)");
    return { epoch, seq: 1 };
  }

  recover(path: string): ContentCount | null {
    using db = new Database(path, { journal: "wal" });
    db.exec("pragma wal_checkpoint(truncate)");
    return db.get<ContentCount>("select epoch, seq from _quern_commit");
  }

  /** Adds a row in a commit of its own, and returns the commit's seq. */
  add(doc: string, text: string): number {
    const file = this.#file(doc);
    const { db, reader, contentEpoch } = file;
    db.transaction(() => {
      db.run("insert into items (text) values (?)", text);
      db.run("update _quern_commit set epoch = ?, seq = seq + 1", contentEpoch);
    });
    file.seq++;
    const read = reader.read();
    if (read.kind !== "pages") throw new Error(read.kind);
    const bytes = this.isLarge ? null : encodePageSet(read.pages);
    this.onCommitted(doc, { count: { epoch: contentEpoch, seq: file.seq }, bytes });
    return file.seq;
  }

  texts(doc: string): string[] {
    return this.#file(doc)
      .db.all<{ text: string }>("select text from items order by id")
      .map(({ text }) => text);
  }

  async beginBase(doc: string): Promise<HeldDocumentFile> {
    const { path } = this.files(doc);
    const { db, reader, seq, contentEpoch } = this.#file(doc);
    db.exec("pragma wal_checkpoint(truncate)");
    reader.checkpointed();
    const count = db.get<ContentCount>("select epoch, seq from _quern_commit") ?? { epoch: contentEpoch, seq };
    return { count, bytes: Bun.file(path).size, read: () => Bun.file(path).stream() };
  }

  async endBase(): Promise<boolean> {
    return true;
  }

  async whileClosed(doc: string, work: () => void): Promise<void> {
    this.close(doc);
    work();
  }

  close(doc: string): void {
    const file = this.#open.get(doc);
    this.#open.delete(doc);
    if (!file) return;
    file.db.exec("pragma wal_checkpoint(truncate)");
    file.reader[Symbol.dispose]();
    file.db.close();
  }

  /** As a crash of the process: forgets open files. */
  forget(): void {
    for (const { db, reader } of this.#open.values()) {
      reader[Symbol.dispose]();
      db.close();
    }
    this.#open.clear();
  }

  /** Deletes all files of a document. */
  wipe(doc: string): void {
    rmSync(join(this.folder, doc), { recursive: true });
  }

  isOpen(doc: string): boolean {
    return this.#open.has(doc);
  }

  exists(doc: string): boolean {
    return existsSync(join(this.folder, doc, "document"));
  }

  #file(doc: string): OpenFile {
    const open = this.#open.get(doc);
    if (open) return open;
    const { path } = this.files(doc);
    const db = new Database(path, { journal: "wal", durability: "normal" });
    db.exec("pragma wal_autocheckpoint = 0");
    const { seq } = db.get<ContentCount>("select epoch, seq from _quern_commit") ?? { seq: 0 };
    const file = { db, reader: new WalReader(path), contentEpoch: randomHex(8), seq };
    this.#open.set(doc, file);
    return file;
  }
}

export interface TestNode extends AsyncDisposable {
  readonly documents: PlainDocuments;
  readonly owned: OwnedDocuments;
  readonly gate: AnswerGate;
  readonly session: NodeSession;
  readonly database: LogDatabase;
  /** Returns the lines of the node's log. */
  events(): string;
  /** Owns a document, adds a row, and resolves when its answer leaves. */
  add(doc: string, text: string): Promise<void>;
  /** Ends without releasing anything. */
  crash(): Promise<void>;
}

export interface NodeOptions {
  readonly documents?: PlainDocuments;
  readonly bootId?: string;
  /** Overrides how the node shares documents with those of `others`. */
  readonly sharing?: Partial<SharingOptions>;
  /** Changes the id of the node. */
  readonly nodeId?: (id: string | null) => string | null;
  /** Nodes that can be asked for documents, this one included. */
  readonly others?: TestNode[];
}

/** Starts a node on a log. */
export async function startNode(
  url: string,
  { documents = new PlainDocuments(), bootId = "boot-1", sharing, nodeId = (id) => id, others = [] }: NodeOptions = {},
): Promise<TestNode> {
  const lines: string[] = [];
  const log = createLog({ level: "debug", write: (text) => lines.push(text) });
  const database = await LogDatabase.open(url, { installation: { id: "installation", historyId: "history" } });
  const gate = new AnswerGate();
  const holder: { owned?: OwnedDocuments; session?: NodeSession } = {};
  const session = await NodeSession.start({
    database,
    address: null,
    version: "1.0.0",
    bootId,
    timers: systemTimers,
    log,
    onValidity: (isValid) => holder.owned?.setLeaseValid(isValid),
    onLost: () => holder.owned?.loseAll(),
    onRegistered: () => {},
  });
  const owned = new OwnedDocuments({
    database,
    local: documents,
    gate,
    bootId,
    divergedFolder: join(documents.folder, "diverged"),
    retentionMs: 3_600_000,
    timers: systemTimers,
    log,
    nodeId: () => nodeId(session.id),
    isLeaseValid: () => session.isValid(),
    sharing: {
      peers: {
        async askForDocument(owner, { doc, to }) {
          const other = others.find(({ session: { id } }) => id === owner.node);
          return (await other?.owned.handOver(doc, to)) === "handedOver";
        },
      },
      mayAsk: () => others.length > 1,
      idleMs: Infinity,
      isInUse: (doc) => documents.isOpen(doc),
      isStreaming: () => false,
      deliveries: { dueAtMs: () => null, acquired() {}, leaving: () => null },
      onHandedOver() {},
      ...sharing,
    },
  });
  holder.owned = owned;
  documents.onCommitted = (doc, commit) => owned.committed(doc, commit);
  let isOver = false;
  const crash = async () => {
    if (isOver) return;
    isOver = true;
    documents.onCommitted = () => {};
    documents.forget();
    await database.close();
    await session.close();
  };
  const node: TestNode = {
    documents,
    owned,
    gate,
    session,
    database,
    events() {
      log.flush();
      return lines.join("");
    },
    async add(doc, text) {
      for (let owning = owned.own(doc); owning; owning = owned.own(doc)) await owning;
      const refusal = owned.refusalOf(doc);
      if (refusal) throw refusal;
      const seq = documents.add(doc, text);
      await new Promise<void>((leave, refuse: (error: AppError) => void) =>
        gate.pass(doc, { epoch: "", seq }, { leave, refuse }),
      );
    },
    crash,
    async [Symbol.asyncDispose]() {
      if (isOver) return;
      isOver = true;
      await owned.close();
      await session.close();
      await database.close();
    },
  };
  others.push(node);
  return node;
}

/** Adds a document with one row. */
export async function publish({ owned, documents }: TestNode, doc: string): Promise<void> {
  await owned.publish(doc, documents.create(doc));
}

/** Ends all leases, as time would. */
export async function expireNodes(url: string): Promise<void> {
  await query(url, "update quern.node set lease_until = clock_timestamp() - interval '1 second'");
}

export async function query<Row>(url: string, text: string): Promise<Row[]> {
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows as Row[];
}

export async function until(check: () => unknown, timeoutMs = 15_000): Promise<void> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
      await Bun.sleep(20);
    }
  }
}
