import { beforeAll, describe, expect, test } from "bun:test";
import { Hono } from "hono";
import type { Child } from "hono/jsx";
import { loadAssets } from "../../../../src/web/assets.ts";
import type { FieldProblem, FormField } from "../../../../src/services/forms/forms.ts";
import { type FormState, FormView } from "../../../../src/web/pages/form/form-view.tsx";
import { readLayout } from "../../../../src/web/pages/form/layout.ts";
import { nextAddress, Success } from "../../../../src/web/pages/form/success.tsx";
import { HOSTILE } from "../../hostile.ts";
import { formOf } from "./form-sample.ts";

beforeAll(loadAssets);

async function htmlOf(element: Child): Promise<string> {
  const app = new Hono().get("/", (c) => c.html(<>{element}</>));
  return (await app.request("/")).text();
}

type Fields = Readonly<Record<string, Partial<FormField>>>;

const NOTHING: FormState = { input: new Map() };

const show = (fields: Fields, state = NOTHING, layout?: object) =>
  htmlOf(
    <FormView
      layout={readLayout(formOf(fields, layout && { layout }))}
      {...state}
      action="/forms/key/1"
      token="t"
      maxBytes={10_000_000}
    />,
  );

const paragraphs = (...texts: string[]) => ({
  type: "Layout",
  children: texts.map((text) => ({ type: "Paragraph", text })),
});

/** The controls of a form, without its own fields: `input type="date" …`. */
const controlsIn = (html: string): string[] =>
  [...html.matchAll(/<((?:input|select|textarea)\b[^>]* name="answer\.[^>]*)>/g)].map(([, tag = ""]) =>
    tag.replaceAll(/ ?\b(id|name|aria-describedby)="[^"]*"/g, "").replace(/\s*\/$/, ""),
  );

describe("controls", () => {
  const controlOf = async (field: Partial<FormField>) => controlsIn(await show({ A: field }));
  const choices = ["b", "a", "", 5, "b"];

  test.each<[string, Partial<FormField>, string[]]>([
    ["text", {}, [`input dir="auto" value=""`]],
    ["an unknown type", { type: "Any" }, [`input dir="auto" value=""`]],
    ["text with a limit", { options: { formTextMaximumLength: 5 } }, [`input dir="auto" value="" maxlength="5"`]],
    ["a limit that is none", { options: { formTextMaximumLength: "many" } }, [`input dir="auto" value=""`]],
    [
      "lines",
      { options: { formTextFormat: "multiline", formTextLineCount: 6, formTextMaximumLength: "9" } },
      [`textarea rows="6" dir="auto" maxlength="9"`],
    ],
    ["lines by default", { options: { formTextFormat: "multiline" } }, [`textarea rows="3" dir="auto"`]],
    ["numbers", { type: "Numeric" }, [`input inputmode="decimal" autocomplete="off" value=""`]],
    ["integers", { type: "Int" }, [`input inputmode="numeric" autocomplete="off" value=""`]],
    ["a spinner", { type: "Int", options: { formNumberFormat: "spinner" } }, [`input type="number" step="1" value=""`]],
    ["a switch", { type: "Bool" }, [`input type="checkbox" value="1" role="switch" class="switch"`]],
    [
      "a check box",
      { type: "Bool", options: { formToggleFormat: "checkbox", formRequired: true } },
      [`input type="checkbox" value="1" required=""`],
    ],
    ["dates", { type: "Date" }, [`input type="date" max="9999-12-31" value=""`]],
    ["times", { type: "DateTime" }, [`input type="datetime-local" max="9999-12-31T23:59" value=""`]],
    ["choices", { type: "Choice", options: { choices, formRequired: true } }, [`select required=""`]],
    [
      "radio buttons",
      { type: "Choice", options: { choices, formSelectFormat: "radio", formOptionsSortOrder: "ascending" } },
      [`input type="radio" value="a"`, `input type="radio" value="b"`],
    ],
    [
      "lists",
      { type: "ChoiceList", options: { choices, formOptionsLimit: 1, formRequired: true } },
      [`input type="checkbox" value="b"`],
    ],
    [
      "lists of references, by value",
      {
        type: "RefList",
        options: { formOptionsSortOrder: "descending" },
        refValues: [
          [1, 9],
          [2, 10],
          [3, "x"],
        ],
      },
      [`input type="checkbox" value="3"`, `input type="checkbox" value="2"`, `input type="checkbox" value="1"`],
    ],
    ["files", { type: "Attachments", options: { formRequired: true } }, [`input required="" type="file" multiple=""`]],
    ["nothing for a hidden question", { options: { formIsHidden: true } }, []],
  ])("exist for %s", async (_, field, controls) => {
    expect(await controlOf(field)).toEqual(controls);
  });

  test("suggest the rows of references with more than 200", async () => {
    const rows = (count: number) => Array.from({ length: count }, (_, index) => [index + 1, `Row ${index}`] as const);
    expect(await show({ A: { type: "Ref", refValues: rows(200) } })).toContain("<select");
    const html = await show({ A: { type: "Ref", refValues: rows(3000), options: { formSelectFormat: "radio" } } });
    expect(html).toContain(`list="question-1-list"`);
    expect(html.match(/<option /g)).toHaveLength(2000);
  });

  test("keep what was entered", async () => {
    const input = new Map([
      ["A", [`"><b>`]],
      ["B", ["\n</textarea>"]],
      ["C", ["b", "c"]],
      ["D", ["2"]],
      ["E", ["1"]],
      ["F", ["secret", "two"]],
    ]);
    const html = await show(
      {
        A: {},
        B: { options: { formTextFormat: "multiline" } },
        C: { type: "ChoiceList", options: { choices: ["a", "b", "c"] } },
        D: { type: "Ref", refValues: [[2, "Two"]] },
        E: { type: "Bool" },
        F: { type: "ChoiceList", options: { formIsHidden: true } },
      },
      { input },
    );
    expect(html).toContain(`value="&quot;&gt;&lt;b&gt;"`);
    expect(html).toContain(`>\n\n&lt;/textarea&gt;</textarea>`);
    expect(html.match(/value="[abc]" checked=""/g)).toEqual([`value="b" checked=""`, `value="c" checked=""`]);
    expect(html).toContain(`<option value="2" selected="" translate="no">Two</option>`);
    expect(html).toMatch(/type="checkbox" value="1" checked=""/);
    expect(html).toContain(`<input type="hidden" name="answer.F" value="secret"/>`);
    expect(html).toContain(`<input type="hidden" name="answer.F" value="two"/>`);
  });
});

describe("problems", () => {
  test("are beside their controls, and linked from a summary that has the focus", async () => {
    const problems = new Map<string, Pick<FieldProblem, "code" | "maximum">>([
      ["Mail", { code: "required" }],
      ["Notes", { code: "too_long", maximum: 5 }],
      ["Hidden", { code: "required" }],
    ]);
    const fields = { Mail: { description: "Work" }, Notes: {}, Hidden: { options: { formIsHidden: true } } };
    const html = await show(fields, { input: new Map(), problems });
    expect(html).toContain(
      `<div class="note problem summary" tabindex="-1" autofocus=""><p>2 answers need changes:</p>`,
    );
    expect(html).toContain(`<a href="#question-1"><bdi translate="no">Mail</bdi></a>: Answer this question.`);
    expect(html).toContain(`aria-invalid="true" aria-describedby="question-1-hint question-1-problem"`);
    expect(html).toContain(`id="question-2-problem"`);
    expect(html).toContain("Use at most 5 characters.");
    expect(html).not.toContain("Hidden");
  });
});

/** The names of all elements and attributes, and the addresses of links. */
function partsOf(html: string) {
  const parts = { elements: [] as string[], attributes: [] as string[], links: [] as string[] };
  new HTMLRewriter()
    .on("*", {
      element({ tagName, attributes }) {
        parts.elements.push(tagName);
        for (const [name, value] of attributes) {
          parts.attributes.push(name);
          if (name === "href" && tagName === "a") parts.links.push(value);
        }
      },
    })
    .transform(html);
  return parts;
}

describe("texts", () => {
  test("of authors and rows stay text, in every place", async () => {
    for (const hostile of HOSTILE) {
      const layout = paragraphs(hostile, `# ${hostile}`);
      const fields: Fields = {
        A: { question: hostile, description: hostile },
        B: { type: "Ref", refValues: [[1, hostile]] },
        C: { type: "Choice", options: { choices: [hostile], formSelectFormat: "radio" } },
        D: { type: "Ref", refValues: Array.from({ length: 300 }, (_, index) => [index + 1, hostile] as const) },
      };
      const problems = new Map(Object.keys(fields).map((colId) => [colId, { code: "required" } as const]));
      const input = new Map(Object.keys(fields).map((colId) => [colId, [hostile]]));
      const submit = { ...layout, submitText: hostile };
      const html = [
        await show(fields, { input, problems }),
        await show(fields, NOTHING, submit),
        await htmlOf(
          <Success layout={{ ...readLayout(formOf({})), successText: hostile }} next={null} formPath="/forms/a/1" />,
        ),
      ].join("\n");
      const { elements, attributes, links } = partsOf(html);
      expect([hostile, ...elements.filter((name) => /^(script|img|b|object|iframe)$/.test(name))]).toEqual([hostile]);
      expect([hostile, ...attributes.filter((name) => /^(on|style)/.test(name))]).toEqual([hostile]);
      expect([hostile, ...links.filter((link) => !/^(#|https?:|mailto:|\/forms\/)/.test(link))]).toEqual([hostile]);
    }
  });

  test("are Markdown, with links in another tab and images as links", async () => {
    const html = await show(
      {},
      NOTHING,
      paragraphs("# Join *us*\n\n[site](https://example.com/) ![pic](https://x.example/p.png)"),
    );
    expect(html).toContain(`<h1 dir="auto" class="heading-1">Join <em dir="auto">us</em></h1>`);
    expect(html).toContain(`<a href="https://example.com/" target="_blank" rel="noopener noreferrer">site</a>`);
    expect(html).not.toContain("<img");
  });
});

describe("the address after an answer", () => {
  const addressOf = (successURL: string) =>
    nextAddress(readLayout(formOf({}, { layout: { type: "Layout", successURL } })), 7)?.href ?? null;

  test.each([
    ["https://example.com/thanks?row={{ID}}&again={{ID}}", "https://example.com/thanks?row=7&again=7"],
    ["http://example.com", "http://example.com/"],
    ["javascript:alert(1)", null],
    ["data:text/html,x", null],
    ["/docs", null],
    ["//example.com", null],
    ["", null],
  ])("%s", (successURL, href) => {
    expect(addressOf(successURL)).toBe(href);
  });
});
