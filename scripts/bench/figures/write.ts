import { Database } from "bun:sqlite";
import { join } from "node:path";
import { type DocumentGrant, NO_REQUEST_INFO } from "../../../src/authorization.ts";
import { Change } from "../../../src/doc/actions/change.ts";
import { applyUserActions, type UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { runUserAction } from "../../../src/doc/actions/user-actions.ts";
import { createDocumentFile } from "../../../src/doc/create-document.ts";
import { OpenDocument } from "../../../src/doc/document.ts";
import { recalculate } from "../../../src/doc/formulas/recalculate.ts";
import { userInfo } from "../../../src/doc/user-info.ts";
import { parseAddedRecords } from "../../../src/hosts/verbs/record-bodies.ts";
import { writeVerbs } from "../../../src/hosts/verbs/writes.ts";
import type { Verb } from "../../../src/hosts/verbs/verb.ts";
import type { Benchmark, Measurement } from "../bench.ts";
import { COLUMNS, rowOf } from "../rows.ts";
import { median, medianByRatio, durationMs } from "../timing.ts";

/**
 * Writes in the document thread, from the bytes of a body to those of the response, compared with plain SQLite that
 * parses the same bodies. Runs alternate, so that both run under the same load; the run with the median ratio counts.
 */
export const write: Benchmark = {
  name: "write",
  run({ folder }) {
    const bodies = loadBodies();
    const loads: Measurement[] = [];
    for (let turn = 0; turn < RUNS; turn++) {
      using document = newDocument(join(folder, `load-${turn}.grist`));
      using baseline = openBaseline(join(folder, `load-baseline-${turn}.sqlite`));
      loads.push(load(document, baseline, bodies));
      loads.push(history(join(folder, `history-${turn}.grist`), join(folder, `no-history-${turn}.grist`), bodies));
    }
    using document = newDocument(join(folder, "write.grist"));
    using baseline = openBaseline(join(folder, "write-baseline.sqlite"));
    load(document, baseline, bodies);
    return Promise.resolve([
      ...[0, 1].map((k) => medianByRatio(loads.filter((_, i) => i % 2 === k))),
      ...change(document, baseline),
      upsert(document),
    ]);
  },
};

const RUNS = 5;
const ROWS = 100_000;
const PER_REQUEST = 1000;
const names = COLUMNS.map(({ id }) => id);

function load(document: OpenDocument, baseline: Database, bodies: readonly Uint8Array[]): Measurement {
  const insert = baseline.prepare(
    "insert into Big (manualSort, Key, City, Qty, Price, Done, Due, Tag, Note) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
  );
  let last = 0;
  const bare = (body: Uint8Array) => {
    const { records } = parse<{ records: { fields: Cells }[] }>(body);
    baseline.transaction(() => {
      for (const { fields: f } of records) {
        insert.run(++last, f.Key, f.City, f.Qty, f.Price, f.Done, f.Due, f.Tag, f.Note);
      }
    })();
  };
  const own = {
    baseline: durationMs(() => bodies.forEach(bare)),
    ours: durationMs(() => bodies.forEach((body) => call(document, "records.add", body))),
  };
  return {
    name: "load 100,000 rows x 8 columns by 1000",
    value: own.ours,
    unit: "ms",
    baseline: own.baseline,
    target: { max: 3 },
  };
}

type Cells = Readonly<Record<(typeof COLUMNS)[number]["id"], string | number | boolean>>;

function change(document: OpenDocument, baseline: Database): Measurement[] {
  const update = baseline.prepare("update Big set Qty = ?, Note = ? where id = ?");
  const bare = (rows: readonly Row[]) =>
    baseline.transaction(() => {
      for (const { id, fields } of rows) update.run(fields.Qty, fields.Note, id);
    })();
  const ours: number[] = [];
  const values: number[] = [];
  const parsed: number[] = [];
  for (let turn = 0; turn < 60; turn++) {
    // Different values each time: writing unchanged values is a no-op.
    const rows = Array.from({ length: 1000 }, (_, i) => ({
      id: i * 7 + 1,
      fields: { Qty: turn * 1000 + i, Note: `changed ${turn}` },
    }));
    const body = bytes({ records: rows });
    ours.push(durationMs(() => call(document, "records.modify", body)));
    values.push(
      durationMs(() => bare(rows.map(({ id, fields: { Qty, Note } }) => ({ id, fields: { Qty: Qty + 7, Note } })))),
    );
    parsed.push(durationMs(() => bare(parse<{ records: Row[] }>(body).records)));
  }
  const value = median(ours);
  const unit = "ms";
  return [
    { name: "change 1000 rows", value, unit, baseline: median(values), target: { max: 3 } },
    {
      name: "change 1000 rows, the baseline parsing the body too",
      value,
      unit,
      baseline: median(parsed),
      target: { max: 3 },
    },
  ];
}

interface Row {
  readonly id: number;
  readonly fields: { readonly Qty: number; readonly Note: string };
}

function upsert(document: OpenDocument): Measurement {
  const times: number[] = [];
  for (let turn = 0; turn < 20; turn++) {
    // Every fifth row is new.
    const wanted = Array.from({ length: 500 }, (_, i) => ({
      require: { Key: i % 5 === 0 ? `new ${turn} ${i}` : `key ${((i * 191 + turn) % ROWS) + 1}` },
      fields: { Qty: turn * 500 + i },
    }));
    const body = bytes({ records: wanted });
    times.push(durationMs(() => call(document, "records.upsert", body)));
  }
  return { name: "500 add-or-updates in 100,000 rows", value: median(times), unit: "ms", target: { max: 60 } };
}

/** The overhead of history on loading: the duration with it, relative to the same actions without. */
function history(withPath: string, withoutPath: string, bodies: readonly Uint8Array[]): Measurement {
  using withHistory = newDocument(withPath);
  using withoutHistoryDocument = newDocument(withoutPath);
  const options = { parse: true, user: userInfo(GRANT), nowMs: Date.now() };
  const withoutHistory = (action: UserAction) =>
    withoutHistoryDocument.db.transaction(() => {
      const change = new Change(withoutHistoryDocument, options);
      runUserAction(change, action);
      change.twoWayReferences.synchronize();
      recalculate(change, change.dirty.take());
    });
  const action = (body: Uint8Array): UserAction => {
    const { count, columns } = parseAddedRecords(body, { flat: false });
    return ["BulkAddRecord", "Big", Array.from({ length: count }, () => null), columns];
  };
  const own = {
    withoutHistoryDocument: durationMs(() => bodies.forEach((body) => withoutHistory(action(body)))),
    withHistory: durationMs(() => bodies.forEach((body) => applyUserActions(withHistory, [action(body)], options))),
  };
  return {
    name: "load 100,000 rows with history, to without",
    value: own.withHistory,
    unit: "ms",
    baseline: own.withoutHistoryDocument,
    target: { max: 1.25 },
  };
}

function newDocument(path: string): OpenDocument {
  createDocumentFile(path);
  const document = new OpenDocument(path);
  const columns = COLUMNS.map(({ id, type }) => ({ id, fields: { type } }));
  call(document, "tables.add", bytes({ tables: [{ id: "Big", columns }] }));
  return document;
}

/** The fastest possible durable file: the same columns and nothing else. */
function openBaseline(path: string): Database {
  const db = new Database(path, { create: true });
  db.run("pragma journal_mode = wal");
  db.run("pragma synchronous = full");
  db.run(
    "create table Big (id integer primary key, manualSort numeric, Key text, City text, Qty integer, Price numeric, Done boolean, Due date, Tag text, Note text)",
  );
  return db;
}

const GRANT: DocumentGrant = {
  doc: "bench",
  role: "editors",
  actor: { kind: "user", userId: 1, ref: "bench", email: "bench@example.com", name: "Bench" },
  request: NO_REQUEST_INFO,
} as unknown as DocumentGrant;

const FLAGS = {
  noparse: false,
  flat: false,
  noadd: false,
  noupdate: false,
  allowEmptyRequire: false,
  replaceall: false,
};

function call(document: OpenDocument, name: keyof typeof writeVerbs, body: Uint8Array): unknown {
  return (writeVerbs[name] as Verb<object, unknown>).run(document, GRANT, { ...FLAGS, table: "Big", body });
}

/** Created in advance, so that collecting their garbage is not measured. */
function loadBodies(): Uint8Array[] {
  const bodies: Uint8Array[] = [];
  for (let first = 1; first <= ROWS; first += PER_REQUEST) bodies.push(bytes({ records: records(first, PER_REQUEST) }));
  Bun.gc(true);
  return bodies;
}

const records = (first: number, count: number) =>
  Array.from({ length: count }, (_, i) => {
    const cells = rowOf(first + i);
    return { fields: Object.fromEntries(names.map((name, c) => [name, cells[c]])) };
  });

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const parse = <T>(body: Uint8Array): T => JSON.parse(new TextDecoder().decode(body)) as T;
