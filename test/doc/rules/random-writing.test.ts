import { expect, test } from "bun:test";
import type { UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { AppError } from "../../../src/errors.ts";
import { Scratch } from "../actions/scratch.ts";
import { addingRules } from "./ruled.ts";

/** A row of the table: rules read `A`. */
interface Row {
  readonly A: number;
  readonly B: number;
}
type Rows = ReadonlyMap<number, Row>;

const RULES = addingRules({
  "T:*": [
    { formula: "rec.A == 1 or newRec.Double == 4", permissions: "-U" },
    { formula: "newRec.A == 3", permissions: "-C" },
    { formula: "rec.A == 4", permissions: "-D" },
  ],
  "T:B": [{ formula: "rec.A == 5", permissions: "-U" }],
});

/** The expected decision, for one row that changed from `before` to `after`. */
function isAllowed(before: Row | undefined, after: Row | undefined, written: ReadonlySet<string>): boolean {
  if (!after) return before?.A !== 4;
  if (!before) return after.A !== 3;
  if (written.has("B") && before.A === 5) return false;
  return before.A !== 1 && after.A !== 2;
}

/** A deterministic sequence of pseudo-random numbers. */
function* pseudoRandom(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state / 2_147_483_648;
  }
}

const numbers = pseudoRandom(7);
const below = (count: number): number => Math.floor(numbers.next().value * count);
const some = (ids: readonly number[]): number[] => ids.filter(() => below(3) === 0);
const column = (count: number): number[] => Array.from({ length: count }, () => below(6));
const columns = (count: number): Partial<Record<"A" | "B", number[]>> => {
  const kind = below(3);
  return { ...(kind !== 0 && { A: column(count) }), ...(kind !== 1 && { B: column(count) }) };
};

/** Returns a random action with the rows that it should result in. */
function randomAttempt(rows: Rows): { action: UserAction; after: Rows; isReplacement?: true } {
  const ids = some([...rows.keys()]);
  const next = Math.max(0, ...rows.keys()) + 1;
  const after = new Map(rows);
  const given = columns(ids.length);
  const change = () => {
    for (const [at, id] of ids.entries()) {
      const { A = 0, B = 0 } = rows.get(id) ?? {};
      after.set(id, { A: given.A?.[at] ?? A, B: given.B?.[at] ?? B });
    }
  };
  const step = (action: UserAction): UserAction => (below(2) === 0 ? action : ["ApplyDocActions", [action]]);
  switch (below(4)) {
    case 0:
      change();
      return { action: step(["BulkUpdateRecord", "T", ids, given]), after };
    case 1:
      for (const id of ids) after.delete(id);
      return { action: step(["BulkRemoveRecord", "T", ids]), after };
    case 2: {
      const values = { A: column(2), B: column(2) };
      for (const at of [0, 1]) after.set(next + at, { A: values.A[at] ?? 0, B: values.B[at] ?? 0 });
      return { action: ["BulkAddRecord", "T", [null, null], values], after };
    }
    default: {
      const values = { A: column(3), B: column(3) };
      const replaced = new Map([1, 2, 3].map((id, at) => [id, { A: values.A[at] ?? 0, B: values.B[at] ?? 0 }]));
      return { action: ["ReplaceTableData", "T", [1, 2, 3], values], after: replaced, isReplacement: true };
    }
  }
}

function isEachAllowed(before: Rows, { after, isReplacement }: { after: Rows; isReplacement?: true }): boolean {
  if (isReplacement) {
    const goes = [...before.values()].every((row) => isAllowed(row, undefined, new Set()));
    return goes && [...after.values()].every((row) => isAllowed(undefined, row, new Set()));
  }
  const ids = [...new Set([...before.keys(), ...after.keys()])].filter((id) => {
    const [old, now] = [before.get(id), after.get(id)];
    return old?.A !== now?.A || old?.B !== now?.B;
  });
  // A column counts as written when it changes in any row.
  const written = new Set(
    (["A", "B"] as const).filter((name) => ids.some((id) => before.get(id)?.[name] !== after.get(id)?.[name])),
  );
  return ids.every((id) => isAllowed(before.get(id), after.get(id), written));
}

test("applies an action exactly if the rules allow it for each row", () => {
  using scratch = new Scratch();
  scratch.apply([
    [
      "AddTable",
      "T",
      [
        { id: "A", type: "Int" },
        { id: "B", type: "Int" },
        { id: "Double", type: "Any", isFormula: true, formula: "$A * 2" },
      ],
    ],
    ...RULES,
  ]);
  const read = (): Rows =>
    new Map(
      Object.entries(scratch.rows("T", "A", "B")).map(([id, [A, B]]) => [Number(id), { A: Number(A), B: Number(B) }]),
    );
  const counts = { done: 0, refused: 0 };
  for (let turn = 0; turn < 600; turn++) {
    const before = read();
    const attempt = randomAttempt(before);
    let isDone = true;
    try {
      scratch.apply([attempt.action], { role: "editors" });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "forbidden") throw error;
      isDone = false;
    }
    const expected = isEachAllowed(before, attempt);
    expect({ turn, action: attempt.action, isDone }).toEqual({ turn, action: attempt.action, isDone: expected });
    expect(read()).toEqual(isDone ? attempt.after : before);
    counts[isDone ? "done" : "refused"]++;
  }
  expect(Math.min(counts.done, counts.refused)).toBeGreaterThan(100);
  expect(scratch.problems()).toEqual([]);
});
