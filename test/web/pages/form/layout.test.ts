import { describe, expect, test } from "bun:test";
import { findHeadings } from "../../../../src/web/pages/form/headings.ts";
import { type FormNode, readLayout } from "../../../../src/web/pages/form/layout.ts";
import { formOf } from "./form-sample.ts";

/** The tree of a layout in short: `section(Mail)`, `"text"`. */
const shortForm = (nodes: readonly FormNode[]): string =>
  nodes
    .map((node) => {
      if (node.kind === "section" || node.kind === "columns") return `${node.kind}(${shortForm(node.children)})`;
      if (node.kind === "question") return node.question.colId;
      return node.kind === "text" ? `"${node.tokens.map(({ text }) => text ?? "").join("")}"` : node.kind;
    })
    .join(" ");

const FIELDS = { Mail: {}, Size: {}, Age: {} };

const read = (layout: unknown) => readLayout(formOf(FIELDS, { layout: layout as object }));

describe("a layout", () => {
  test("has sections, columns, questions, texts and one button", () => {
    const layout = {
      type: "Layout",
      children: [
        { type: "Paragraph", text: "# Join us", alignment: "center" },
        {
          type: "Section",
          children: [{ type: "Columns", children: [{ type: "Field", leaf: 1 }, { type: "Placeholder" }] }],
        },
        { type: "Field", leaf: 2 },
        { type: "Submit" },
        { type: "Submit" },
      ],
    };
    expect(shortForm(read(layout).nodes)).toBe(`"Join us" section(columns(Mail gap)) Size submit`);
  });

  test("of older forms has labels, headers and separators", () => {
    const children = [
      { type: "Label", text: "One" },
      { type: "Header", text: "Two" },
      { type: "Separator" },
      { type: "Label" },
    ];
    expect(shortForm(read({ type: "Layout", children }).nodes)).toBe(`"One" "Two" "" submit`);
  });

  test("shows the content of unknown boxes, and leaves out unknown fields and questions that were asked already", () => {
    const children = [
      { type: "Video", children: [{ type: "Field", leaf: 1 }] },
      { type: "Field", leaf: 99 },
      { type: "Field", leaf: "2" },
      { type: "Field", leaf: "__proto__" },
      { type: "Field", leaf: 3 },
      { type: "Field", leaf: 3 },
      null,
      "text",
      [{ type: "Field", leaf: 1 }],
    ];
    expect(shortForm(read({ type: "Layout", children }).nodes)).toBe("Mail Age submit");
  });

  test("that is none asks all questions", () => {
    const all = "Mail Size Age submit";
    expect(shortForm(read({ type: "Other", children: [] }).nodes)).toBe(all);
    expect(shortForm(readLayout({ ...formOf(FIELDS), formLayoutSpec: "{broken" }).nodes)).toBe(all);
    expect(shortForm(readLayout({ ...formOf(FIELDS), formLayoutSpec: "[]" }).nodes)).toBe(all);
  });

  test("keeps hidden questions out of the tree", () => {
    const form = formOf({ Mail: {}, Source: { options: { formIsHidden: true } } });
    const { nodes, questions } = readLayout(form);
    expect(shortForm(nodes)).toBe("section(Mail) submit");
    expect(questions.map(({ colId }) => colId)).toEqual(["Mail", "Source"]);
  });

  test("of any depth and size is read within bounds", () => {
    let deep: object = { type: "Field", leaf: 1 };
    for (let depth = 0; depth < 1000; depth++) deep = { type: "Section", children: [deep] };
    expect(shortForm(read({ type: "Layout", children: [deep] }).nodes)).not.toContain("Mail");
    const wide = Array.from({ length: 5000 }, () => ({ type: "Label", text: "x" }));
    expect(read({ type: "Layout", children: wide }).nodes.length).toBeLessThan(2500);
  });

  test("has texts of the wrong type as if they were missing", () => {
    const broken = { type: "Layout", submitText: 5, successText: {}, successURL: [], anotherResponse: "yes" };
    expect(read(broken)).toMatchObject({ submitText: "", successText: "", successUrl: "", offersAnother: false });
  });
});

describe("headings", () => {
  const headingsOf = (...texts: string[]) => {
    const children = texts.map((text) => ({ type: "Paragraph", text }));
    const { nodes } = read({ type: "Layout", children });
    const { title, tags } = findHeadings(nodes);
    return { title, tags: [...tags].flatMap(([{ open }, tag]) => (open === undefined ? [] : [tag])) };
  };

  test("begin with the title of the page, and have no gaps", () => {
    const texts = ["Text", "## **Join** us", "#### Deep\n\ntext\n\n# Top", "### Third\n\n### Third again"];
    expect(headingsOf(...texts)).toEqual({ title: "Join us", tags: ["h1", "h2", "h2", "h3", "h3"] });
  });

  test("may be missing", () => {
    expect(headingsOf("Text")).toEqual({ title: null, tags: [] });
  });
});
