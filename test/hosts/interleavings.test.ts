/**
 * Random interleavings of changes and reads of one document, in its worker and in readers. Each change moves the document
 * from one known state to the next. A read must equal one of them, not an older one than what was acknowledged when the
 * read began. `QUERN_TEST_SEQUENCES` sets the number of reads.
 */
import { expect, test } from "bun:test";
import type { Actor, DocumentGrant } from "../../src/authorization.ts";
import { decode, grantOf } from "../doc/read/sample.ts";
import { addingRules } from "../doc/rules/ruled.ts";
import { Random } from "../helpers/random.ts";
import { randomRuns } from "../helpers/random-runs.ts";
import { bytes, ENDLESS, hosted, type Hosted } from "./hosted.ts";

const ROWS = 40;
const SEED = Number(process.env["QUERN_TEST_SEED"] ?? 1);

const viewer = {
  kind: "user",
  userId: 7,
  email: "vera@example.com",
  name: "Vera",
  ref: "vera",
  isAdmin: false,
  isService: false,
  via: "key",
} as const satisfies Actor;

const low = (v: number): number => 1 + (v % 9);
const high = (v: number): number => 20 + (v % 11);
const ruleColumn = (v: number): string => (Math.floor(v / 7) % 2 === 0 ? "Low" : "High");
const rule = (v: number): string => `user.Access == VIEWER and rec.id > user.Own.${ruleColumn(v)}`;

const restricted = (uuid: string): DocumentGrant => ({ ...grantOf(uuid, "viewers"), actor: viewer });

/** The state after change `v`, as the reads below show it. */
const expected = {
  /** Every change sets all cells of A; a formula follows. */
  rows: (v: number) => ({ a: v, doubled: 2 * v }),
  /** Every fifth change renames a column. */
  column: (v: number) => `C${v - (v % 5)}`,
  /** Every change sets the user attributes; every seventh one edits the access rule that reads them. */
  visibleRows: (v: number) => (ruleColumn(v) === "Low" ? low(v) : high(v)),
};

async function prepare(h: Hosted): Promise<string> {
  const uuid = await h.make();
  // Slow enough that the worker is busy while most reads arrive.
  const slow = "n = 0\nwhile n < 300:\n  n += 1\nreturn $A * 2 + n - 300";
  await apply(h, uuid, [
    ["BulkAddRecord", "T", Array.from({ length: ROWS }, () => null), { A: Array.from({ length: ROWS }, () => 0) }],
    ["ModifyColumn", "T", "B", { type: "Int", isFormula: true, formula: slow }],
    ["AddColumn", "T", "C0", { type: "Int", isFormula: false }],
    [
      "AddTable",
      "Levels",
      [
        { id: "Email", type: "Text" },
        { id: "Low", type: "Int" },
        { id: "High", type: "Int" },
      ],
    ],
    ["AddRecord", "Levels", null, { Email: viewer.email, Low: low(0), High: high(0) }],
    ...addingRules({
      "*:*": [
        { userAttributes: JSON.stringify({ name: "Own", tableId: "Levels", charId: "Email", lookupColId: "Email" }) },
      ],
      "T:*": [{ formula: rule(0), permissions: "-R" }],
    }),
  ]);
  return uuid;
}

const apply = (h: Hosted, uuid: string, actions: unknown[]) =>
  h.host.call(grantOf(uuid), "actions.apply", { noparse: true, body: bytes(actions) });

/** Moves the document from state `v - 1` to state `v`. */
function change(h: Hosted, uuid: string, v: number): Promise<unknown> {
  const ids = Array.from({ length: ROWS }, (_, at) => at + 1);
  const renamed = expected.column(v) !== expected.column(v - 1);
  return apply(h, uuid, [
    ["UpdateRecord", "Levels", 1, { Low: low(v), High: high(v) }],
    ["BulkUpdateRecord", "T", ids, { A: ids.map(() => v) }],
    ...(renamed ? [["RenameColumn", "T", expected.column(v - 1), expected.column(v)]] : []),
    ...(v % 7 === 0 ? [["UpdateRecord", "_grist_ACLRules", 3, { aclFormula: rule(v) }]] : []),
  ]);
}

interface Row {
  readonly id: number;
  readonly fields: Record<string, number>;
}

async function fetchRows(h: Hosted, grant: DocumentGrant): Promise<Row[]> {
  const answer = await h.host.call(grant, "records.fetch", { table: "T", hidden: false, typed: false });
  if (answer.kind !== "bytes") throw new Error(answer.kind);
  return (JSON.parse(decode(answer.bytes)) as { records: Row[] }).records;
}

/** Checks a read, and returns the state that it saw. */
function checkRows(rows: readonly Row[], isRestricted: boolean): number {
  const v = rows[0]?.fields["A"] ?? Number.NaN;
  const { a, doubled } = expected.rows(v);
  const count = isRestricted ? expected.visibleRows(v) : ROWS;
  const fields = { A: a, B: doubled, [expected.column(v)]: 0 };
  expect(rows).toEqual(Array.from({ length: count }, (_, at) => ({ id: at + 1, fields })));
  return v;
}

test("every read equals a committed state, not older than what was acknowledged when it began", async () => {
  await using h = hosted({ formulas: ENDLESS, maxReaders: 2 });
  const uuid = await prepare(h);
  const random = new Random(SEED);
  const total = randomRuns(300, 10_000);
  const seen = { issued: 0, acknowledged: 0, reads: 0, beside: 0 };
  const changing = async () => {
    while (seen.reads < total) {
      // The following changes are issued before this one is acknowledged, and share its commit or the next.
      const burst = Array.from({ length: 1 + random.below(3) }, async () => {
        const v = ++seen.issued;
        await change(h, uuid, v);
        seen.acknowledged = Math.max(seen.acknowledged, v);
      });
      await Promise.all(burst);
      if (random.oneIn(4)) await Bun.sleep(random.below(4));
    }
  };
  const reading = async () => {
    while (seen.reads < total) {
      seen.reads++;
      const [before, wasBusy] = [seen.acknowledged, seen.issued > seen.acknowledged];
      const isRestricted = random.oneIn(2);
      const rows = await fetchRows(h, isRestricted ? restricted(uuid) : grantOf(uuid));
      const v = checkRows(rows, isRestricted);
      expect(v).toBeGreaterThanOrEqual(before);
      expect(v).toBeLessThanOrEqual(seen.issued);
      if (wasBusy && v < seen.issued) seen.beside++;
      if (random.oneIn(10)) await Bun.sleep(random.below(3));
    }
  };
  await Promise.all([changing(), reading(), reading(), reading()]);
  expect((await h.host.measure()).readers).toBeGreaterThan(0);
  // Otherwise the test would not cover reads beside changes.
  expect(seen.beside).toBeGreaterThan(total / 10);
}, 600_000);
