/** Edits of the list of pages, applied to a document. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  allowedIndentation,
  movePage,
  type PageOrder,
  pageTargets,
  type PageTargets,
  removePage,
  renamePage,
  tablesOnlyOn,
} from "../../../../src/web/base/views/page-edits.ts";
import { readPageItems } from "../../../../src/web/base/views/page-list.ts";
import { Scratch } from "../../../doc/actions/scratch.ts";

let scratch: Scratch;
beforeEach(() => {
  scratch = new Scratch();
  scratch.do("RemoveTable", "Table1");
});
afterEach(() => {
  expect(scratch.problems()).toEqual([]);
  scratch[Symbol.dispose]();
});

const records = (table: string, columns: string) =>
  scratch.document.db.values(`select id, ${columns} from ${table} order by id`).map(([id, ...cells]) => ({
    id: Number(id),
    fields: Object.fromEntries(columns.split(", ").map((column, c) => [column, cells[c]])),
  }));

/** Pages in their order: each hyphen is a level. Pages in brackets are not shown. */
function setPages(text: string): void {
  for (const page of text.split(" ")) {
    const name = page.replace(/^-+/, "");
    scratch.apply([
      ["AddRecord", "_grist_Views", -1, { name, type: "empty" }],
      ["AddRecord", "_grist_Pages", null, { viewRef: -1, indentation: page.length - name.length }],
    ]);
  }
}

const outline = (): string =>
  order()
    .all.map(({ name, indentation }) => "-".repeat(indentation) + name)
    .join(" ");

function order(): PageOrder {
  const all = readPageItems({
    pages: records("_grist_Pages", "viewRef, pagePos, indentation, options, shareRef"),
    views: records("_grist_Views", "name"),
  });
  return { all, shown: all.filter(({ name }) => !name.startsWith("(")) };
}

const refOf = (name: string): number => order().all.find((page) => page.name === name)?.ref ?? 0;

function run(name: string, command: keyof PageTargets): string {
  const target = pageTargets(order(), refOf(name))[command];
  if (target) scratch.apply(movePage(order(), refOf(name), target));
  return outline();
}

/** Applies an edit, and undoes it: everything has to be as before. */
function applied(actions: ReturnType<typeof movePage>): string {
  const before = scratch.content();
  const { undo } = scratch.apply(actions);
  const result = outline();
  scratch.apply([["ApplyUndoActions", undo]]);
  expect(scratch.content()).toEqual(before);
  return result;
}

const moved = (name: string, before: string | null, indentation: number): string =>
  applied(movePage(order(), refOf(name), { before: before === null ? null : refOf(before), indentation }));

describe("the commands of a page", () => {
  test("move it with all pages below it", () => {
    setPages("A -B --C -D E -F");
    expect(run("E", "up")).toBe("E -F A -B --C -D");
    expect(run("E", "down")).toBe("A -B --C -D E -F");
    expect(run("B", "down")).toBe("A -D -B --C E -F");
    expect(run("B", "up")).toBe("A -B --C -D E -F");
    expect(run("E", "indent")).toBe("A -B --C -D -E --F");
    expect(run("E", "outdent")).toBe("A -B --C -D E -F");
  });

  test("outdent it in its place: pages that follow are below it then", () => {
    setPages("A -B -C --D E");
    expect(run("B", "outdent")).toBe("A B -C --D E");
    expect(run("C", "outdent")).toBe("A B C -D E");
  });

  test("are unavailable at the ends", () => {
    setPages("A -B C");
    const available = (name: string) =>
      Object.entries(pageTargets(order(), refOf(name))).flatMap(([command, target]) => (target ? [command] : []));
    expect(available("A")).toEqual(["down"]);
    expect(available("B")).toEqual(["outdent"]);
    expect(available("C")).toEqual(["up", "indent"]);
    expect(pageTargets(order(), 99)).toEqual({ up: null, down: null, indent: null, outdent: null });
  });

  test("take pages along that are not shown, and pass over others", () => {
    setPages("A (H) B -(I) C");
    expect(run("B", "up")).toBe("B -(I) A (H) C");
    expect(run("B", "down")).toBe("A (H) B -(I) C");
    expect(run("B", "indent")).toBe("A (H) -B --(I) C");
  });

  test("treat pages that are indented too far like the tree that shows them", () => {
    const pages = [0, 3, 1].map((indentation, at) => ({
      ref: at + 1,
      view: at + 1,
      name: `Page ${at}`,
      indentation,
      position: at + 1,
      isFolded: false,
      shareRef: 0,
    }));
    const own = { all: pages, shown: pages };
    expect(pageTargets(own, 3).up).toEqual({ before: 2, indentation: 1 });
    expect(pageTargets(own, 2).down).toEqual({ before: null, indentation: 3 });
    expect(movePage(own, 2, { before: null, indentation: 3 })).toEqual([
      ["UpdateRecord", "_grist_Pages", 2, { indentation: 2, pagePos: null }],
    ]);
    expect(pageTargets(own, 2).outdent).toEqual({ before: 3, indentation: 0 });
  });
});

describe("a page that is dropped", () => {
  beforeEach(() => setPages("A -B --C D"));

  test("gets a depth that the pages around it allow", () => {
    expect(allowedIndentation(order(), refOf("D"), refOf("A"))).toEqual({ lowest: 0, highest: 0 });
    expect(allowedIndentation(order(), refOf("D"), refOf("B"))).toEqual({ lowest: 1, highest: 1 });
    expect(allowedIndentation(order(), refOf("D"), null)).toEqual({ lowest: 0, highest: 3 });
    expect(moved("D", null, 9)).toBe("A -B --C ---D");
    expect(moved("D", "B", 1)).toBe("A -D -B --C");
    expect(moved("D", "B", 2)).toBe("A -D -B --C");
    expect(moved("B", null, 0)).toBe("A D B -C");
    expect(moved("B", "A", 3)).toBe("B -C A D");
  });

  test("stays where it is, and within its own pages", () => {
    expect(movePage(order(), refOf("B"), { before: refOf("D"), indentation: 1 })).toEqual([]);
    expect(movePage(order(), refOf("A"), { before: refOf("C"), indentation: 0 })).toEqual([]);
    expect(movePage(order(), 99, { before: null, indentation: 0 })).toEqual([]);
  });

  test("writes only what changes", () => {
    const [, , , depth] = movePage(order(), refOf("D"), { before: null, indentation: 2 })[0] ?? [];
    expect(depth).toEqual({ indentation: 2 });
    const [action, , , place] = movePage(order(), refOf("D"), { before: refOf("A"), indentation: 0 })[0] ?? [];
    expect(action).toBe("UpdateRecord");
    expect(Object.keys(place as object)).toEqual(["pagePos"]);
    expect(movePage(order(), refOf("B"), { before: null, indentation: 1 })[0]?.[0]).toBe("BulkUpdateRecord");
  });
});

describe("removing and renaming a page", () => {
  test("renames the page only", () => {
    scratch.do("AddEmptyTable", "Orders");
    const { view = 0 } = order().all[0] ?? {};
    const before = JSON.stringify(scratch.content());
    scratch.apply(renamePage(view, "Open orders"));
    expect(outline()).toBe("Open orders");
    scratch.apply(renamePage(view, "Orders"));
    expect(JSON.stringify(scratch.content())).toBe(before);
  });

  test("raises the pages below it, and deletes tables that are not kept", () => {
    scratch.do("AddEmptyTable", "Orders");
    setPages("-B --C");
    const { view = 0 } = order().all[0] ?? {};
    expect(applied(removePage(view))).toBe("B -C");
    expect(applied(removePage(view, ["Orders"]))).toBe("");
    scratch.apply(removePage(view));
    expect(scratch.document.schema.tableById.has("Orders")).toBe(true);
  });

  test("names the tables that no other page shows, without summaries", () => {
    const sections = [
      { view: 0, tableRef: 1 },
      { view: 5, tableRef: 1 },
      { view: 5, tableRef: 2 },
      { view: 5, tableRef: 3 },
      { view: 6, tableRef: 2 },
    ];
    const tables = [
      { id: "Orders", ref: 1, sourceRef: 0 },
      { id: "People", ref: 2, sourceRef: 0 },
      { id: "Orders_summary", ref: 3, sourceRef: 1 },
    ];
    expect(tablesOnlyOn(5, sections, tables).map(({ id }) => id)).toEqual(["Orders"]);
    expect(tablesOnlyOn(6, sections, tables)).toEqual([]);
  });
});
