import { describe, expect, test } from "bun:test";
import { type PageNode, pageTree, shownPages } from "../../../../src/web/base/views/page-list.ts";

/** A page by its name, its depth, and its position. */
type Page = [name: string, indentation: number, position?: number | null];

function source(pages: readonly Page[], tables: { id: string; primaryView: number }[] = []) {
  return {
    pages: pages.map(([, indentation, pagePos], at) => ({
      id: at + 1,
      fields: {
        viewRef: at + 101,
        indentation,
        pagePos: pagePos === undefined ? at : pagePos,
        options: "",
        shareRef: 0,
      },
    })),
    views: pages.map(([name], at) => ({ id: at + 101, fields: { name } })),
    tables,
  };
}

const outline = (nodes: readonly PageNode[]): unknown[] =>
  nodes.map(({ name, children }) => (children.length > 0 ? [name, ...outline(children)] : name));

const names = (pages: readonly Page[], tables?: { id: string; primaryView: number }[]): string[] =>
  shownPages(source(pages, tables)).map(({ name }) => name);

describe("the pages of a document", () => {
  test("are in the order of their positions, pages without one last", () => {
    expect(
      names([
        ["C", 0, null],
        ["B", 0, 2],
        ["A", 0, 1.5],
      ]),
    ).toEqual(["A", "B", "C"]);
  });

  test("without a name, of tours, and of hidden tables are not shown", () => {
    const pages: Page[] = [
      ["", 0],
      ["  ", 0],
      ["GristDocTour", 0],
      ["GristDocTutorial", 0],
      ["Draft", 0],
      ["Orders", 0],
    ];
    expect(
      names(pages, [
        { id: "GristHidden_import", primaryView: 105 },
        { id: "Orders", primaryView: 106 },
      ]),
    ).toEqual(["Orders"]);
  });

  test("are below the nearest page before them that is less indented", () => {
    const pages: Page[] = [
      ["A", 0],
      ["B", 1],
      ["C", 2],
      ["D", 1],
      ["E", 0],
      ["F", 3],
      ["G", 2],
    ];
    expect(outline(pageTree(shownPages(source(pages))))).toEqual([
      ["A", ["B", "C"], "D"],
      ["E", "F", "G"],
    ]);
  });

  test("have at most thirty levels, however deep they are stored", () => {
    const levels = (nodes: readonly PageNode[]): number =>
      Math.max(0, ...nodes.map((node) => 1 + levels(node.children)));
    const count = (nodes: readonly PageNode[]): number =>
      nodes.reduce((sum, { children }) => sum + 1 + count(children), 0);
    const pages = Array.from({ length: 5000 }, (_, at): Page => [`P${at}`, at]);
    const tree = pageTree(shownPages(source([...pages, ["Last", 0]])));
    expect(levels(tree)).toBe(30);
    expect(count(tree)).toBe(5001);
    expect(tree.map(({ name }) => name)).toEqual(["P0", "Last"]);
  });

  test("are indented by numbers only", () => {
    const { pages, views, tables } = source([
      ["A", 0],
      ["B", -2],
      ["C", 0.5],
    ]);
    expect(shownPages({ pages, views, tables }).map(({ indentation }) => indentation)).toEqual([0, 0, 0]);
  });

  test("are folded as stored", () => {
    const { pages, views, tables } = source([
      ["A", 0],
      ["B", 1],
    ]);
    const folded = pages.map((page, at) => ({
      ...page,
      fields: { ...page.fields, options: at === 0 ? '{"collapsed":true}' : "{" },
    }));
    expect(shownPages({ pages: folded, views, tables }).map(({ isFolded }) => isFolded)).toEqual([true, false]);
  });
});
