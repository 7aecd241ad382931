import { describe, expect, test } from "bun:test";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { recalculateDocument, type UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { FORMULA_LIMITS } from "../../../src/formula/runtime/budget.ts";
import type { Clock } from "../../../src/lib/time/clock.ts";
import { DAY, SECOND } from "../../helpers/clock.ts";
import { tempFolder } from "../../helpers/temp-folder.ts";
import { ANN, Scratch } from "../actions/scratch.ts";

/** A recalculation that ends in the middle of a block leaves nothing behind: neither in the file nor in memory. */

const ROWS = 60;
const IDS = Array.from({ length: ROWS }, (_, i) => i + 1);
const LIMITS = { blockRows: 8, bufferedCells: 16, orderedCells: 4, compiledCells: 1 };
const MAX_TEMPORARY_BYTES = 10_000_000;

/** A clock that shows the same time until a certain reading, and a day later from then on. */
class JumpingClock implements Clock {
  readings = 0;
  jumpsAt = Infinity;

  now(): number {
    return 0;
  }

  elapsed(): number {
    return ++this.readings >= this.jumpsAt ? DAY : 0;
  }
}

/** The formula whose results are interrupted. */
const FORMULAS = {
  "a row function": "'%s: %s' % ($Text, $N + 1)",
  "the interpreter": "$Text + str(sum(i for i in range($N))) + '1'",
  "a look-up": "$Text + str(len(T.lookupRecords(Key=$Key))) + '1'",
  "a sorted look-up": "$Text + str(T.lookupOne(Key=$Key, order_by='-N').N) + '1'",
  "a summary": "$Text + str($N) + '1'",
} as const;

type Kind = keyof typeof FORMULAS;
const KINDS = Object.keys(FORMULAS) as Kind[];

interface Document {
  readonly scratch: Scratch;
  readonly clock: JumpingClock;
  /** Folder of temporary files. */
  readonly folder: string;
}

const SLOW = "sum(1 for _ in range(500000)) if $IsSlow else len($F)";

/** Creates a document whose formulas were computed, so that everything is in its caches. */
function createDocument(kind: Kind, { indexesInFile = false } = {}): Document {
  const clock = new JumpingClock();
  const folder = tempFolder();
  const formulas = { ...FORMULA_LIMITS, temporary: { folder, maxBytes: MAX_TEMPORARY_BYTES } };
  const calculation = indexesInFile ? { ...LIMITS, indexBytes: 0 } : LIMITS;
  const scratch = new Scratch({ clock, formulas, calculation });
  const columns = [{ id: "Key" }, { id: "N", type: "Int" }, { id: "Text" }, { id: "IsSlow", type: "Bool" }];
  scratch.do("AddTable", "T", columns);
  scratch.do("AddColumn", "T", "F", { type: "Text", isFormula: true, formula: FORMULAS[kind] });
  scratch.do("AddColumn", "T", "Slow", { isFormula: true, formula: SLOW });
  if (kind === "a summary") {
    scratch.do("CreateViewSection", 2, 0, "record", [scratch.column("T", "Key")["ref"]], null);
    scratch.do("AddColumn", "T_summary_Key", "F", { type: "Text", isFormula: true, formula: "'+'.join($group.F)" });
  }
  scratch.do(
    "BulkAddRecord",
    "T",
    IDS.map(() => null),
    { Key: IDS.map((id) => `k${id % 7}`), N: IDS, Text: IDS.map((id) => `text ${id} `.repeat(3)) },
  );
  scratch.do("UpdateRecord", "T", 5, { Key: "k1", N: 50 });
  return { scratch, clock, folder };
}

/** Changes keys and values in all rows. It leaves the schema alone, which would make new caches. */
const CHANGE: readonly UserAction[] = [
  ["BulkUpdateRecord", "T", IDS, { Key: IDS.map((id) => `key ${id % 5}`), N: IDS.map((id) => id + 1) }],
  ["BulkUpdateRecord", "T", IDS, { Text: IDS.map((id) => `longer text ${id} `.repeat(60)) }],
];

/** As `CHANGE`, with a formula that takes long in one row, computed in the same blocks. */
const SLOW_CHANGE: readonly UserAction[] = [["UpdateRecord", "T", 37, { IsSlow: true }], ...CHANGE];

/** Changes as users make them next. */
const NEXT: UserAction[] = [
  ["UpdateRecord", "T", 9, { Key: "key 2", N: 4 }],
  ["AddRecord", "T", null, { Key: "k1", N: 7, Text: "new" }],
  ["RemoveRecord", "T", ROWS + 1],
];

/** Each makes the change fail, and removes the reason afterwards. */
const INTERRUPTIONS: Record<string, { interrupt: (document: Document, kind: Kind) => void; error: string | RegExp }> = {
  "when a formula exceeds its time limit": {
    error: "longer than",
    interrupt: ({ scratch, clock }, kind) => {
      using uninterrupted = createDocument(kind).scratch;
      const counting = uninterrupted.document.clock as JumpingClock;
      const before = counting.readings;
      uninterrupted.apply(SLOW_CHANGE);
      const readings = counting.readings - before;
      clock.jumpsAt = clock.readings + Math.floor(readings * 0.7);
      try {
        scratch.apply(SLOW_CHANGE);
      } finally {
        clock.jumpsAt = Infinity;
      }
    },
  },
  "when SQLite ends the transaction in the middle of a block": {
    error: "interrupted",
    interrupt: ({ scratch }) => {
      const { db } = scratch.document;
      db.exec(`create temp trigger interrupt before update of F on T when new.id = 37
        and length(new.F) > 500 begin select raise(rollback, 'interrupted'); end`);
      try {
        scratch.apply(CHANGE);
      } finally {
        db.exec("drop trigger interrupt");
      }
    },
  },
  "when the disk is full": {
    error: "The disk is full",
    interrupt: ({ scratch }) => {
      const { db } = scratch.document;
      const pages = db.get<{ page_count: number }>("pragma page_count")?.page_count ?? 0;
      db.exec(`pragma max_page_count = ${pages + 20}`);
      try {
        scratch.apply(CHANGE);
      } finally {
        db.exec("pragma max_page_count = 1000000");
      }
    },
  },
  "when a later action of the same request is refused": {
    error: /"Missing"/,
    interrupt: ({ scratch }) => {
      scratch.apply([...CHANGE, ["UpdateRecord", "Missing", 1, { Key: "x" }]]);
    },
  },
};

const nextChanges = (scratch: Scratch) => {
  for (const action of NEXT) scratch.apply([action]);
};

/** Returns the formula results and summaries as a new calculation computes them. */
function recalculated(scratch: Scratch): unknown {
  recalculateDocument(scratch.document, { user: ANN, nowMs: 0 }, { persist: true });
  return scratch.content();
}

const integrityOf = ({ document }: Scratch): unknown => document.db.values("pragma integrity_check");

describe.each(Object.entries(INTERRUPTIONS))("nothing of a recalculation stays %s", (_, { interrupt, error }) => {
  const cases = KINDS.flatMap((kind) => [false, true].map((indexesInFile) => ({ kind, indexesInFile })));

  test.each(cases)(
    "computing $kind, with indexes in a file: $indexesInFile",
    ({ kind, indexesInFile }) => {
      const document = createDocument(kind, { indexesInFile });
      using scratch = document.scratch;
      using control = createDocument(kind).scratch;
      const before = [scratch.content(), scratch.states()];

      expect(() => interrupt(document, kind)).toThrow(error);
      expect([scratch.content(), scratch.states()]).toEqual(before);
      expect([scratch.problems(), integrityOf(scratch)]).toEqual([[], [["ok"]]]);

      // The caches have nothing of the interrupted change either.
      nextChanges(scratch);
      nextChanges(control);
      expect(scratch.content()).toEqual(control.content());
      expect(recalculated(scratch)).toEqual(control.content());
      scratch.apply(CHANGE);
      control.apply(CHANGE);
      expect(scratch.content()).toEqual(control.content());
      expect(scratch.problems()).toEqual([]);
    },
    60 * SECOND,
  );
});

test("nothing of a recalculation stays when its indexes exceed the limit of temporary files", () => {
  const { scratch, folder } = createDocument("a look-up", { indexesInFile: true });
  using control = createDocument("a look-up").scratch;
  const before = [scratch.content(), scratch.states()];
  const other = join(folder, "other");
  writeFileSync(other, new Uint8Array(MAX_TEMPORARY_BYTES + 1));
  const change: UserAction = ["ModifyColumn", "T", "F", { formula: "len(T.lookupRecords(Key=$Key))" }];
  expect(() => void scratch.apply([change])).toThrow("QUERN_TEMP_BYTES");
  expect([scratch.content(), scratch.states()]).toEqual(before);
  expect(readdirSync(folder)).toEqual(["other"]);

  rmSync(other);
  nextChanges(scratch);
  nextChanges(control);
  expect(scratch.content()).toEqual(control.content());
  expect(recalculated(scratch)).toEqual(control.content());
  scratch.document.close();
  expect(readdirSync(folder)).toEqual([]);
});
