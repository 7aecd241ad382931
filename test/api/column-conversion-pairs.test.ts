/** Conversions between all types of columns: the preview counts what the conversion does, and Undo restores everything. */
import { describe, expect, test } from "bun:test";
import { sampleDocument, testApp, type TestApp } from "../helpers/app.ts";

interface Kind {
  readonly type: string;
  readonly cells: readonly unknown[];
  readonly options?: Readonly<Record<string, unknown>>;
  /** Whether the column shows the names of people. */
  readonly isReference?: boolean;
}

const DAY = Date.UTC(2026, 4, 31) / 1000;
const CHOICES = { choices: ["new", "Ada"], choiceOptions: { new: { fillColor: "#cee3ff" } } };

const KINDS: Readonly<Record<string, Kind>> = {
  Text: { type: "Text", cells: ["Ada", "1.5", "2026-05-31", "true", ""], options: { widget: "HyperLink" } },
  Numeric: {
    type: "Numeric",
    cells: [1.5, 2, -0.25, null, "stray"],
    options: { numMode: "currency", currency: "EUR" },
  },
  Int: { type: "Int", cells: [1, 2, 0, null, "stray"], options: { numMode: "decimal" } },
  Bool: { type: "Bool", cells: [true, false, true, false, "stray"], options: { widget: "Switch" } },
  Date: { type: "Date", cells: [DAY, null, 0, DAY, "stray"], options: { dateFormat: "DD.MM.YYYY" } },
  DateTime: { type: "DateTime:Asia/Tokyo", cells: [DAY + 61, null, 0, DAY, "stray"], options: { timeFormat: "HH:mm" } },
  Choice: { type: "Choice", cells: ["new", "Ada", "", "new", "odd"], options: CHOICES },
  ChoiceList: {
    type: "ChoiceList",
    cells: [["L", "new", "Ada"], null, ["L", "Ada"], ["L", "a, b"], null],
    options: CHOICES,
  },
  Ref: { type: "Ref:People", cells: [1, 0, 2, 1, "stray"], options: { alignment: "center" }, isReference: true },
  RefList: { type: "RefList:People", cells: [["L", 1, 2], null, ["L", 2], ["L", 1], "stray"], isReference: true },
  Attachments: { type: "Attachments", cells: [null, null, null, null, null] },
};
const NAMES = Object.keys(KINDS);

interface Listing {
  readonly id: string;
  readonly fields: Readonly<Record<string, unknown>> & { readonly colRef: number };
}

async function allKinds(app: TestApp) {
  const { doc } = await sampleDocument(app);
  const path = `/api/docs/${doc}`;
  const columns = NAMES.map((id) => {
    const { type, options = {} } = KINDS[id] ?? { type: "Text" };
    return { id: `A${id}`, fields: { type, widgetOptions: JSON.stringify(options) } };
  });
  await app.must("POST", `${path}/tables`, {
    tables: [
      { id: "People", columns: [{ id: "Name", fields: { type: "Text" } }] },
      { id: "Kinds", columns },
    ],
  });
  await app.must("POST", `${path}/apply`, [["BulkAddRecord", "People", [null, null], { Name: ["Ada", "Grace"] }]]);
  const list = async (table: string): Promise<readonly Listing[]> =>
    (await app.must<{ columns: Listing[] }>("GET", `${path}/tables/${table}/columns?hidden=true`)).columns;
  const nameRef = (await list("People")).find(({ id }) => id === "Name")?.fields.colRef ?? 0;
  const references = (await list("Kinds")).filter(({ id }) => KINDS[id.slice(1)]?.isReference);
  const cells = Object.fromEntries(NAMES.map((id) => [`A${id}`, KINDS[id]?.cells ?? []]));
  await app.must(
    "POST",
    `${path}/apply?noparse=true`,
    references
      .flatMap(({ id, fields }): unknown[][] => [
        ["ModifyColumn", "Kinds", id, { visibleCol: nameRef }],
        ["SetDisplayFormula", "Kinds", null, fields.colRef, `$${id}.Name`],
      ])
      .concat([["BulkAddRecord", "Kinds", [null, null, null, null, null], cells]]),
  );
  const state = async () => ({
    columns: await list("Kinds"),
    cells: await app.must<Record<string, unknown[]>>("GET", `${path}/tables/Kinds/data`),
    people: await app.must<Record<string, unknown[]>>("GET", `${path}/tables/People/data`),
  });
  return { path, nameRef, state };
}

/** Returns true for cells that a conversion left as text in a column of another kind. */
const isStray = (cell: unknown, type: string): boolean =>
  !["Text", "Choice"].includes(type) && typeof cell === "string" && cell !== "";

describe("conversions between all types", () => {
  for (const from of NAMES) {
    test(`${from} to each other type, and back by Undo`, async () => {
      await using app = await testApp();
      const { path, nameRef, state } = await allKinds(app);
      const before = await state();
      for (const to of NAMES.filter((name) => name !== from)) {
        const { type = "", options = {}, isReference } = KINDS[to] ?? {};
        const body = {
          type,
          widgetOptions: JSON.stringify(options),
          ...(isReference && { visibleCol: nameRef, addMissing: from === "Text" }),
        };
        const url = `${path}/tables/Kinds/columns/A${from}/convert`;
        const preview = await app.must<{ cells: number; converted: number; missing?: number }>(
          "POST",
          `${url}?dryRun=1`,
          body,
        );
        expect(await state()).toEqual(before);
        const { actionNum } = await app.must<{ actionNum: number }>("POST", url, body);
        const after = await state();
        const column = after.columns.find(({ id }) => id === `A${from}`);
        expect(column?.fields).toMatchObject({ type, isFormula: false, visibleCol: isReference ? nameRef : 0 });
        const strays = (after.cells[`A${from}`] ?? []).filter((cell) => isStray(cell, type)).length;
        expect({ to, strays }).toEqual({ to, strays: preview.cells - preview.converted });
        if (isReference && from === "Text") expect(after.people["Name"]).toHaveLength(2 + (preview.missing ?? 0));
        await app.must("POST", `${path}/states/${actionNum}/undo`);
        expect({ to, ...(await state()) }).toEqual({ to, ...before });
      }
    });
  }
});
