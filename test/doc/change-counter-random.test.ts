/** Random commits, failures, crashes and restored files: a pair of the change counter never names two contents. */
import { expect, test } from "bun:test";
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { applyUserActions, type UserAction } from "../../src/doc/actions/apply-user-actions.ts";
import { createDocumentFile } from "../../src/doc/create-document.ts";
import { OpenDocument } from "../../src/doc/document.ts";
import { SYSTEM_USER } from "../../src/doc/user-info.ts";
import { Database } from "../../src/sqlite/database.ts";
import { randomRuns } from "../helpers/random-runs.ts";
import { Random } from "../helpers/random.ts";
import { tempFolder } from "../helpers/temp-folder.ts";

const SEQUENCES = randomRuns(4, 40);
const STEPS = 60;
const seed = Number(process.env["QUERN_TEST_SEED"] ?? Date.now() % 1_000_000);

test(`the change counter never names two contents (QUERN_TEST_SEED=${seed})`, () => {
  for (let own = seed; own < seed + SEQUENCES; own++) {
    using sequence = new Sequence(own);
    sequence.run();
  }
});

/** A document's file with what was seen of it. */
class Sequence implements Disposable {
  readonly #seed: number;
  readonly #random: Random;
  readonly #folder = tempFolder();
  readonly #path = join(this.#folder, "document.grist");
  /** Contents by the pairs that named them. */
  readonly #contents = new Map<string, string>();
  readonly #done: string[] = [];
  #document: OpenDocument;
  #copies = 0;
  #value = 0;

  constructor(own: number) {
    this.#seed = own;
    this.#random = new Random(own);
    createDocumentFile(this.#path);
    this.#document = this.#open();
  }

  readonly #steps: Record<string, () => void> = {
    add: () => this.#add(),
    addAgain: () => this.#add(),
    addColumn: () => this.#apply(["AddColumn", "Table1", null, { type: "Int" }]),
    addSeveral: () => this.#inTransaction(() => Array.from({ length: 1 + this.#random.below(3) }, () => this.#add())),
    addOneAndRefuseOne: () =>
      this.#inTransaction(() => {
        this.#add();
        expect(() => this.#inTransaction(() => this.#addAndFail("refused"))).toThrow("refused");
      }),
    changeNothing: () => this.#inTransaction(() => undefined),
    changeWithoutState: () => this.#inTransaction(() => this.#updateCells()),
    changeWithoutStateAndAdd: () =>
      this.#inTransaction(() => {
        this.#updateCells();
        this.#add();
      }),
    rollBack: () => expect(() => this.#inTransaction(() => this.#addAndFail("undone"))).toThrow("undone"),
    failAfterCommit: () => this.#failAfter(() => this.#add()),
    failAfterCommitWithoutState: () => this.#failAfter(() => this.#inTransaction(() => this.#updateCells())),
    removeNewestState: () =>
      this.#inTransaction(() =>
        this.#db.run(
          "delete from _gristsys_ActionHistory where id > 1 and id = (select max(id) from _gristsys_ActionHistory)",
        ),
      ),
    reopen: () => this.#close(),
    crash: () => this.#restore(this.#copy()),
    keepCopy: () => void this.#copy(),
    restoreCopy: () => this.#copies > 0 && this.#restore(1 + this.#random.below(this.#copies)),
    changeWithOlderVersion: () => {
      this.#close();
      using db = new Database(this.#path);
      db.run(
        `insert into _gristsys_ActionHistory (actionHash, actionNum, body)
          select 'old-' || ?, max(actionNum) + 1, x'00' from _gristsys_ActionHistory`,
        ++this.#value,
      );
      db.run("update Table1 set A = ?", this.#value);
    },
  };

  run(): void {
    this.#add();
    for (let step = 0; step < STEPS; step++) {
      const name = this.#random.pick(Object.keys(this.#steps));
      this.#done.push(name);
      this.#steps[name]?.();
      this.#check();
    }
  }

  [Symbol.dispose](): void {
    this.#document.close();
  }

  /** Checks that the counter names this content alone, and that a reader sees the same counter. */
  #check(): void {
    if (!existsSync(`${this.#path}-wal`)) this.#document = this.#open();
    const { counts } = this.#document.counter;
    using reader = new OpenDocument(this.#path, { access: "read" });
    const [seen, content] = reader.readSnapshot(() => [reader.counter.counts, contentOf(reader.db)]);
    const context = `QUERN_TEST_SEED=${this.#seed} QUERN_TEST_SEQUENCES=1: ${this.#done.join(", ")}`;
    expect(seen, context).toEqual(counts);
    const pair = JSON.stringify([counts?.epoch, counts?.seq]);
    expect(this.#contents.get(pair) ?? content, context).toBe(content);
    this.#contents.set(pair, content);
  }

  get #db(): Database {
    return this.#document.db;
  }

  #open(): OpenDocument {
    const document = new OpenDocument(this.#path);
    document.counter.ensureStored();
    return document;
  }

  /** Closes the file; the next check opens it. */
  #close(): void {
    this.#document.close();
  }

  #apply(...actions: UserAction[]): void {
    applyUserActions(this.#document, actions, { parse: false, user: SYSTEM_USER, nowMs: 0 });
  }

  #add(): void {
    this.#apply(["AddRecord", "Table1", null, { A: ++this.#value }]);
  }

  #addAndFail(message: string): never {
    this.#add();
    throw new Error(message);
  }

  #updateCells(): void {
    this.#db.run("update Table1 set A = ?", ++this.#value);
  }

  #inTransaction(work: () => unknown): void {
    this.#db.transaction(() => void work());
  }

  /** Has the commit report an error although it took effect. */
  #failAfter(change: () => void): void {
    const { counter } = this.#document;
    this.#db.setCommitHook({
      onBegin: () => counter.onBegin(),
      beforeCommit: () => counter.beforeCommit(),
      onCommit: () => {
        throw new Error("disk I/O error");
      },
    });
    expect(change).toThrow("disk I/O error");
    this.#db.setCommitHook(counter);
    if (this.#random.oneIn(2)) this.#add();
    else this.#inTransaction(() => this.#updateCells());
  }

  /** Copies the file as it is now, with its log. */
  #copy(): number {
    const number = ++this.#copies;
    for (const suffix of ["", "-wal"]) copyFileSync(this.#path + suffix, join(this.#folder, `copy-${number}${suffix}`));
    return number;
  }

  #restore(number: number): void {
    this.#document.close();
    rmSync(`${this.#path}-shm`, { force: true });
    for (const suffix of ["", "-wal"]) copyFileSync(join(this.#folder, `copy-${number}${suffix}`), this.#path + suffix);
    this.#document = this.#open();
  }
}

const contentOf = (db: Database): string =>
  JSON.stringify([
    db.values("select * from Table1 order by id"),
    db.values("select count(*) from _gristsys_ActionHistory"),
  ]);
