import { afterAll, describe, expect, test } from "bun:test";
import type { DocumentGrant, Role } from "../../../src/authorization.ts";
import type { OpenDocument } from "../../../src/doc/document.ts";
import { applyUserActions, type UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import { AppError } from "../../../src/errors.ts";
import { readVerbs } from "../../../src/hosts/verbs/reads.ts";
import { drainMeasurements } from "../../../src/lib/observability/measurements.ts";
import { TestClock } from "../../helpers/clock.ts";
import { Random } from "../../helpers/random.ts";
import { randomRuns } from "../../helpers/random-runs.ts";
import { ANN } from "../actions/scratch.ts";
import { ruledDocument } from "../rules/reading.ts";
import { grantOf, sampleDocument, type SampleRecord, type SampleTable, textOf } from "./sample.ts";

const COUNT = 53;
const BOOKS: SampleTable = {
  id: "Books",
  columns: { Name: "Text", Pages: "Int", City: "Choice", Any: "Any" },
  rows: Array.from({ length: COUNT }, (_, at) => ({
    id: at * 3 + 1,
    Name: `${["Ash", "elm", "Fir"][at % 3] ?? ""}${(at * 17) % 30}`,
    Pages: at % 11 === 0 ? "stray" : (at * 7) % 5,
    City: ["Oslo", "Lima", "", "Oslo"][at % 4] ?? "",
    Any: [true, null, Infinity, ["L", at % 3], "x", 2.5][at % 6] as never,
    manualSort: (at * 389) % 1000,
  })),
};
const KEY = new Uint8Array(32).fill(7);

type Query = Partial<Parameters<(typeof readVerbs)["records.fetch"]["run"]>[2]>;
interface Answer {
  readonly records: SampleRecord[];
  readonly total?: number;
  readonly next?: string | null;
}

function fetchPage(document: OpenDocument, query: Query, grant: DocumentGrant = grantOf("sample")): Answer {
  const args = { table: "Books", hidden: false, typed: false, cursorKey: KEY, ...query };
  return JSON.parse(textOf(document, readVerbs["records.fetch"].run(document, grant, args))) as Answer;
}

/** Reads all pages, calling `between` before each but the first. */
function walk(document: OpenDocument, query: Query, role: Role = "owners", between?: () => void): number[] {
  const ids: number[] = [];
  let cursor = "start";
  for (let pages = 0; pages < 200; pages++) {
    if (pages > 0) between?.();
    const { records, next } = fetchPage(document, { limit: "7", ...query, cursor }, grantOf("sample", role));
    ids.push(...records.map(({ id }) => id));
    if (typeof next !== "string") return ids;
    expect(records).toHaveLength(7);
    cursor = next;
  }
  throw new Error("pages without end");
}

const codeOf = (work: () => unknown): string => {
  try {
    work();
    return "none";
  } catch (error) {
    if (error instanceof AppError) return error.reason;
    throw error;
  }
};

const SORTS = [
  "",
  "id",
  "-id",
  "manualSort",
  "Pages",
  "-Name:naturalSort",
  "City,-Pages",
  "Any",
  "-Any,Name",
  "City:orderByChoice",
];
const QUERIES = SORTS.flatMap((sort) =>
  ["", '{"City":["Oslo",""]}', '{"City":["Nowhere"]}'].map((filter) => ({ sort, filter })),
);
const RULES = {
  "Books:*": [{ formula: "user.Access != OWNER and rec.Pages == 2", permissions: "-R" }],
  "Books:City": [{ formula: "user.Access != OWNER and rec.Pages == 3", permissions: "-R" }],
  "Books:manualSort": [{ formula: "user.Access != OWNER and rec.Pages == 4", permissions: "-R" }],
};

describe.each<[string, OpenDocument, Role]>([
  ["without rules", sampleDocument([BOOKS]), "owners"],
  ["with an index", sampleDocument([BOOKS], { indexes: { minRows: 1 } }), "owners"],
  ["under rules", ruledDocument([BOOKS], RULES), "editors"],
])("%s", (_, document, role) => {
  afterAll(() => document.close());

  test.each(QUERIES)("%j: the pages add up to all rows in order", (query) => {
    const whole = fetchPage(document, query, grantOf("sample", role)).records.map(({ id }) => id);
    expect(walk(document, query, role)).toEqual(whole);
    while (document.ownIndexes?.runStep(1000));
    expect(walk(document, query, role)).toEqual(whole);
  });

  test("each page has the total, and the last one ends", () => {
    const grant = grantOf("sample", role);
    const { total } = fetchPage(document, { total: true }, grant);
    const page = fetchPage(document, { total: true, cursor: "", limit: "2", sort: "Name" }, grant);
    expect(page).toEqual({ records: expect.any(Array), total: total ?? 0, next: expect.any(String) });
    const rest = fetchPage(document, { total: true, cursor: page.next ?? "", sort: "Name" }, grant);
    expect([rest.records.length, rest.total, rest.next]).toEqual([(total ?? 0) - 2, total, null]);
  });

  test("records/list has the same pages", () => {
    const list = (body: object): Answer => {
      const bytes = new TextEncoder().encode(JSON.stringify(body));
      const args = { table: "Books", body: bytes, cursorKey: KEY };
      return JSON.parse(
        textOf(document, readVerbs["records.list"].run(document, grantOf("sample", role), args)),
      ) as Answer;
    };
    const first = list({ sort: ["Name"], limit: 3, cursor: "start" });
    const second = list({ sort: ["Name"], limit: 3, cursor: first.next });
    const whole = fetchPage(document, { sort: "Name", limit: "6" }, grantOf("sample", role)).records;
    expect([...first.records, ...second.records]).toEqual(whole);
  });
});

test("an index answers the pages of a sort", () => {
  using document = sampleDocument([BOOKS], { indexes: { minRows: 1 } });
  walk(document, { sort: "Name" });
  walk(document, { sort: "Name" });
  while (document.ownIndexes?.runStep(1000));
  drainMeasurements();
  walk(document, { sort: "Name" });
  expect(drainMeasurements().counts.indexHits).toBe(Math.ceil(COUNT / 7));
});

test("answers without a cursor have no next", () => {
  using document = sampleDocument([BOOKS]);
  expect(fetchPage(document, { limit: "2" })).not.toHaveProperty("next");
});

/** Changes rows between the pages; rows that exist unchanged throughout must appear exactly once. */
describe.each<[string, () => OpenDocument, Role]>([
  ["without rules", () => sampleDocument([BOOKS]), "owners"],
  ["with indexes", () => sampleDocument([BOOKS], { indexes: { minRows: 1 } }), "owners"],
  ["under rules", () => ruledDocument([BOOKS], RULES), "editors"],
])("while rows change, %s", (_, create, role) => {
  test.each(Array.from({ length: randomRuns(12, 500) }, (_, at) => at + 1))("seed %d", (seed) => {
    using document = create();
    const random = new Random(seed);
    const sort = random.pick(SORTS);
    const changed = new Set<number>();
    const before = new Set(fetchPage(document, {}, grantOf("sample", role)).records.map(({ id }) => id));
    let added = 1000;
    const present = (id: number) =>
      document.db.values("select id from Books where id = ?", id).map(([one]) => Number(one));
    const change = () => {
      const nextAction = (): UserAction => {
        const id = random.below(COUNT) * 3 + 1;
        const values = { Name: `n${random.below(99)}`, City: "Rome", manualSort: random.below(1000) };
        switch (random.below(3)) {
          case 0:
            changed.add(added);
            return ["AddRecord", "Books", added++, values];
          case 1:
            changed.add(id);
            return ["BulkRemoveRecord", "Books", [id]];
          default:
            changed.add(id);
            return [
              "BulkUpdateRecord",
              "Books",
              present(id),
              { Name: present(id).map(() => values.Name), City: present(id).map(() => "Rome") },
            ];
        }
      };
      const count = random.below(4);
      // Each action sees which rows the previous ones have left.
      for (let at = 0; at < count; at++)
        applyUserActions(document, [nextAction()], { parse: false, user: ANN, nowMs: 0 });
      while (document.ownIndexes?.runStep(1000));
    };
    const seen = walk(document, { sort }, role, change);
    const unchanged = [...before].filter((id) => !changed.has(id));
    expect(seen.filter((id) => !changed.has(id)).toSorted((a, b) => a - b)).toEqual(
      unchanged.toSorted((a, b) => a - b),
    );
  });
});

describe("a cursor", () => {
  const clock = new TestClock();
  const document = sampleDocument(
    [
      BOOKS,
      { ...BOOKS, id: "Others" },
      {
        id: "Long",
        columns: { T: "Text" },
        rows: Array.from({ length: 9 }, (_, at) => ({ T: `${"x".repeat(5000)}${at}` })),
      },
    ],
    { clock },
  );
  afterAll(() => document.close());
  const QUERY = { sort: "Name", filter: '{"City":["Oslo",""]}', limit: "3", fields: "Name,Pages" };
  const { next } = fetchPage(document, { ...QUERY, cursor: "start" });
  const token = next ?? "";

  test.each<[name: string, changes: Query, code: string]>([
    ["unchanged", {}, "none"],
    ["another limit", { limit: "5" }, "none"],
    ["another sort", { sort: "-Name" }, "cursor.invalid"],
    ["another filter", { filter: '{"City":["Oslo"]}' }, "cursor.invalid"],
    ["no filter", { filter: "" }, "cursor.invalid"],
    ["another table", { table: "Others" }, "cursor.invalid"],
    ["other columns", { fields: "Name" }, "cursor.invalid"],
    ["other cells", { cellFormat: "iso" }, "cursor.invalid"],
    ["hidden columns", { hidden: true }, "cursor.invalid"],
    ["another caller or document", { cursorKey: new Uint8Array(32) }, "cursor.invalid"],
    ["no secret", { cursorKey: undefined }, "server.unavailable"],
    ["a changed character", { cursor: token.replace(/.$/, (last) => (last === "A" ? "B" : "A")) }, "cursor.invalid"],
    ["its first half", { cursor: token.slice(0, token.length / 2) }, "cursor.invalid"],
    ["a text", { cursor: "1" }, "cursor.invalid"],
    ["an offset", { offset: "2" }, "request.invalid"],
    ["a large limit", { limit: "10001" }, "request.invalid"],
  ])("with %s: %s", (_, changes, code) => {
    expect(codeOf(() => fetchPage(document, { ...QUERY, cursor: token, ...changes }))).toBe(code);
  });

  test("shows nothing of its content", () => {
    const text = Buffer.from(token, "base64url").toString("latin1");
    expect(text).not.toContain("Ash");
    expect(fetchPage(document, { ...QUERY, cursor: "start" }).next).not.toBe(token);
  });

  test("with cells that are too long for a URL works until the last row changes", () => {
    const first = fetchPage(document, { table: "Long", sort: "T", limit: "4", cursor: "start" });
    expect(first.next?.length).toBeLessThan(400);
    const query = { table: "Long", sort: "T", limit: "4", cursor: first.next ?? "" };
    expect(fetchPage(document, query).records.map(({ id }) => id)).toEqual([5, 6, 7, 8]);
    const update: UserAction = ["UpdateRecord", "Long", 4, { T: "a" }];
    applyUserActions(document, [update], { parse: false, user: ANN, nowMs: 0 });
    expect(codeOf(() => fetchPage(document, query))).toBe("cursor.invalid");
  });

  test("expires after 24 hours", () => {
    clock.pass(24 * 3_600_000);
    expect(codeOf(() => fetchPage(document, { ...QUERY, cursor: token }))).toBe("none");
    clock.pass(1);
    expect(codeOf(() => fetchPage(document, { ...QUERY, cursor: token }))).toBe("cursor.invalid");
  });
});
