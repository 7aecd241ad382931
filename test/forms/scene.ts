/** A document with published forms, for tests of forms. */
import type { TestApp } from "../helpers/app.ts";

export interface Scene {
  readonly doc: string;
  /** Row ids of the section, its page and the share. */
  readonly section: number;
  readonly page: number;
  readonly share: number;
  readonly linkId: string;
  readonly key: string;
  /** Applies user actions as the owner, and returns what they return. */
  apply(...actions: unknown[][]): Promise<unknown[]>;
  /** The ids of the fields of the form, by column. */
  fields(): Promise<Record<string, number>>;
  /** Sets the options of a field of the form. */
  setOptions(colId: string, options: object): Promise<void>;
  /** Sets `quern.form` in the options of the section. */
  setForm(settings: object): Promise<void>;
}

export interface SceneColumn {
  readonly id: string;
  readonly fields: object;
}

export const SIGNUP_COLUMNS: readonly SceneColumn[] = [
  { id: "Name", fields: { type: "Text", label: "Your name" } },
  { id: "Age", fields: { type: "Int" } },
  { id: "Size", fields: { type: "Choice", widgetOptions: '{"choices":["S","M","L"]}' } },
  { id: "Team", fields: { type: "Ref:Teams" } },
];

export interface SceneOptions {
  readonly columns?: readonly SceneColumn[];
  readonly linkId?: string;
}

interface Described {
  readonly formFieldsById: Record<string, { colId: string }>;
}

/** Creates a document with the tables `Teams` and `Signup`, and a published form of the second. */
export async function formScene(
  { must }: TestApp,
  { columns = SIGNUP_COLUMNS, linkId = "link-1" }: SceneOptions = {},
): Promise<Scene> {
  const workspace = await must<number>("POST", "/api/orgs/team/workspaces", { name: "Forms" });
  const doc = await must<string>("POST", `/api/workspaces/${workspace}/docs`, { name: "Club" });
  const apply = async (...actions: unknown[][]): Promise<unknown[]> =>
    (await must<{ retValues: unknown[] }>("POST", `/api/docs/${doc}/apply`, actions)).retValues;
  const teams = [
    { id: "Title", fields: { type: "Text" } },
    { id: "Code", fields: { type: "Text" } },
  ];
  await must("POST", `/api/docs/${doc}/tables`, { tables: [{ id: "Teams", columns: teams }] });
  const rows = [
    { Title: "Red", Code: "r1" },
    { Title: "", Code: "r2" },
    { Title: "Blue", Code: "r3" },
  ];
  await must("POST", `/api/docs/${doc}/tables/Teams/records`, { records: rows.map((fields) => ({ fields })) });
  await must("POST", `/api/docs/${doc}/tables`, { tables: [{ id: "Signup", columns }] });
  const refs = await columnRefs({ must }, doc);
  const title = refs["Teams.Title"];
  for (const { id, fields } of columns) {
    if (!/^Ref(List)?:Teams$/.test((fields as { type: string }).type)) continue;
    await apply(
      ["UpdateRecord", "_grist_Tables_column", refs[`Signup.${id}`], { visibleCol: title }],
      ["SetDisplayFormula", "Signup", null, refs[`Signup.${id}`], `$${id}.Title`],
    );
  }
  const { section, view } = await addForm({ apply }, refs["Signup"] ?? 0);
  const { records } = await must<{ records: { id: number }[] }>(
    "GET",
    `/api/docs/${doc}/tables/_grist_Pages/records?filter=${encodeURIComponent(JSON.stringify({ viewRef: [view] }))}`,
  );
  const page = records[0]?.id ?? 0;
  const [share] = (await apply(["AddRecord", "_grist_Shares", null, { linkId, options: '{"publish":true}' }])) as [
    number,
  ];
  await apply(
    ["UpdateRecord", "_grist_Pages", page, { shareRef: share }],
    ["UpdateRecord", "_grist_Views_section", section, { shareOptions: '{"form":true,"publish":true}' }],
  );
  const keys = await must<{ linkId: string; key: string }[]>("GET", `/api/docs/${doc}/shares`);
  const fields = async () => {
    const { formFieldsById } = await must<Described>("GET", `/api/docs/${doc}/forms/${section}`);
    return Object.fromEntries(Object.entries(formFieldsById).map(([id, { colId }]) => [colId, Number(id)]));
  };
  return {
    doc,
    section,
    page,
    share,
    linkId,
    key: keys.find((one) => one.linkId === linkId)?.key ?? "",
    apply,
    fields,
    async setOptions(colId, options) {
      const widgetOptions = JSON.stringify(options);
      await apply(["UpdateRecord", "_grist_Views_section_field", (await fields())[colId], { widgetOptions }]);
    },
    async setForm(form) {
      const options = JSON.stringify({ quern: { v: 1, form } });
      await apply(["UpdateRecord", "_grist_Views_section", section, { options }]);
    },
  };
}

/** Adds a page with a form of a table. */
export async function addForm(
  { apply }: Pick<Scene, "apply">,
  tableRef: number,
): Promise<{ section: number; view: number }> {
  const [made] = (await apply(["CreateViewSection", tableRef, 0, "form", null, null])) as {
    sectionRef: number;
    viewRef: number;
  }[];
  return { section: made?.sectionRef ?? 0, view: made?.viewRef ?? 0 };
}

/** Returns the refs of tables, by id, and of columns, as `Table.column`. */
export async function columnRefs({ must }: Pick<TestApp, "must">, doc: string): Promise<Record<string, number>> {
  const { tables } = await must<{ tables: { id: string; fields: { tableRef: number } }[] }>(
    "GET",
    `/api/docs/${doc}/tables`,
  );
  const refs: Record<string, number> = {};
  for (const { id, fields } of tables) {
    refs[id] = fields.tableRef;
    const { columns } = await must<{ columns: { id: string; fields: { colRef: number } }[] }>(
      "GET",
      `/api/docs/${doc}/tables/${id}/columns`,
    );
    for (const column of columns) refs[`${id}.${column.id}`] = column.fields.colRef;
  }
  return refs;
}

/** Publishes a new form of a document's first table. */
export async function publishForm(
  { must }: Pick<TestApp, "must">,
  doc: string,
): Promise<{ section: number; key: string }> {
  const apply = async (...actions: unknown[][]): Promise<unknown[]> =>
    (await must<{ retValues: unknown[] }>("POST", `/api/docs/${doc}/apply`, actions)).retValues;
  const { section, view } = await addForm({ apply }, 1);
  const filter = encodeURIComponent(JSON.stringify({ viewRef: [view] }));
  const pages = `/api/docs/${doc}/tables/_grist_Pages/records?filter=${filter}`;
  const { records } = await must<{ records: { id: number }[] }>("GET", pages);
  const [share] = await apply(["AddRecord", "_grist_Shares", null, { linkId: "link", options: '{"publish":true}' }]);
  await apply(
    ["UpdateRecord", "_grist_Pages", records[0]?.id, { shareRef: share }],
    ["UpdateRecord", "_grist_Views_section", section, { shareOptions: '{"form":true,"publish":true}' }],
  );
  const keys = await must<{ key: string }[]>("GET", `/api/docs/${doc}/shares`);
  return { section, key: keys[0]?.key ?? "" };
}
