/** A published form with all kinds of questions, in a document whose other content must not show. */
import type { Sample } from "./sample.ts";

/** Calls the API as the owner of the document. */
type Api = Sample["call"];

export interface FormSite {
  readonly doc: string;
  readonly section: number;
  /** The address for visitors. */
  readonly path: string;
  /** The cells of all answers. */
  answers(this: void): Promise<Record<string, unknown>[]>;
  /** Applies user actions. */
  apply(this: void, ...actions: unknown[][]): Promise<unknown[]>;
  /** Sets options of the question of a column. */
  setOptions(this: void, colId: string, options: object): Promise<void>;
  /** The layout of the form. */
  layout(this: void): object;
  setLayout(this: void, layout: object): Promise<void>;
  publish(this: void, isPublished: boolean): Promise<void>;
  /** Sets the settings that only Quern has, such as the closing date. */
  setForm(this: void, settings: object): Promise<void>;
}

const choices = (...texts: string[]) => JSON.stringify({ choices: texts });

const TEAMS = [{ Title: "Red", Secret: "s-row" }, { Title: "Blue" }, { Title: "Green" }];

/** Columns of the form, in its order. */
const COLUMNS = [
  { id: "Mail", fields: { type: "Text", label: "Your email" } },
  { id: "Notes", fields: { type: "Text", label: "Anything else" } },
  { id: "Age", fields: { type: "Int", label: "Your age" } },
  { id: "Agreed", fields: { type: "Bool", label: "I accept the rules" } },
  { id: "Born", fields: { type: "Date", label: "Date of birth" } },
  { id: "Arrives", fields: { type: "DateTime:Europe/Berlin", label: "Arrival" } },
  { id: "Size", fields: { type: "Choice", label: "Size of the shirt", widgetOptions: choices("S", "M", "L") } },
  { id: "Topics", fields: { type: "ChoiceList", label: "Topics", widgetOptions: choices("Boats", "Sails", "Knots") } },
  { id: "Team", fields: { type: "Ref:Teams", label: "Team" } },
  { id: "Also", fields: { type: "RefList:Teams", label: "Other teams" } },
  { id: "Photo", fields: { type: "Attachments", label: "Photo" } },
  { id: "Source", fields: { type: "Text", label: "Hidden question" } },
] as const;

const OPTIONS: Readonly<Record<string, object>> = {
  Mail: { formRequired: true, formAcceptFromUrl: true, description: "We write to it once." },
  Notes: { formTextFormat: "multiline", formTextMaximumLength: 40 },
  Agreed: { formRequired: true },
  Size: { formSelectFormat: "radio", formOptionsAlignment: "horizontal" },
  Topics: { formRequired: true },
  Source: { formIsHidden: true, formAcceptFromUrl: true },
};

/** Creates the document and publishes its form. */
export async function publishForm(api: Api): Promise<FormSite> {
  const [workspace] = await api<{ id: number }[]>("GET", "/orgs/current/workspaces");
  const doc = await api<string>("POST", `/workspaces/${workspace?.id}/docs`, { name: "Secret document" });
  const apply = async (...actions: unknown[][]): Promise<unknown[]> =>
    (await api<{ retValues: unknown[] }>("POST", `/docs/${doc}/apply`, actions)).retValues;
  const teamColumns = ["Title", "Secret"].map((id) => ({ id, fields: { type: "Text" } }));
  await api("POST", `/docs/${doc}/tables`, { tables: [{ id: "Teams", columns: teamColumns }] });
  await api("POST", `/docs/${doc}/tables/Teams/records`, { records: TEAMS.map((fields) => ({ fields })) });
  await api("POST", `/docs/${doc}/tables`, { tables: [{ id: "Secret_signups", columns: COLUMNS }] });
  const refs = await readRefs(api, doc);
  for (const column of ["Team", "Also"]) {
    await apply(
      ["UpdateRecord", "_grist_Tables_column", refs[column], { visibleCol: refs["Title"] }],
      ["SetDisplayFormula", "Secret_signups", null, refs[column], `$${column}.Title`],
    );
  }
  const [made] = (await apply(["CreateViewSection", refs["Secret_signups"], 0, "form", null, null])) as {
    sectionRef: number;
    viewRef: number;
  }[];
  const section = made?.sectionRef ?? 0;
  const fields = await addFields({ apply, api, doc, section }, refs);
  const [page] = await records(api, doc, "_grist_Pages", { viewRef: [made?.viewRef] });
  const linkId = crypto.randomUUID();
  const [share] = await apply(["AddRecord", "_grist_Shares", null, { linkId, options: '{"publish":true}' }]);
  await apply(
    ["UpdateRecord", "_grist_Pages", page?.id, { shareRef: share }],
    [
      "UpdateRecord",
      "_grist_Views_section",
      section,
      { layoutSpec: JSON.stringify(layoutOf(fields)), shareOptions: '{"form":true,"publish":true}' },
    ],
  );
  const setSection = async (fields: object): Promise<void> =>
    void (await apply(["UpdateRecord", "_grist_Views_section", section, fields]));
  const keys = await api<{ linkId: string; key: string }[]>("GET", `/docs/${doc}/shares`);
  return {
    doc,
    section,
    path: `/forms/${keys.find((each) => each.linkId === linkId)?.key}/${section}`,
    apply,
    answers: async () => (await records(api, doc, "Secret_signups")).map((row) => row.fields),
    async setOptions(colId, options) {
      const widgetOptions = JSON.stringify({ ...OPTIONS[colId], ...options });
      await apply(["UpdateRecord", "_grist_Views_section_field", fields[colId], { widgetOptions }]);
    },
    layout: () => layoutOf(fields),
    setLayout: (layout) => setSection({ layoutSpec: JSON.stringify(layout) }),
    publish: (publish) => setSection({ shareOptions: JSON.stringify({ form: true, publish }) }),
    setForm: (settings) => setSection({ options: JSON.stringify({ quern: { v: 1, form: settings } }) }),
  };
}

interface StoredRow {
  readonly id: number;
  readonly fields: Record<string, unknown>;
}

const records = async (api: Api, doc: string, table: string, filter: object = {}): Promise<StoredRow[]> =>
  (
    await api<{ records: StoredRow[] }>(
      "GET",
      `/docs/${doc}/tables/${table}/records?filter=${encodeURIComponent(JSON.stringify(filter))}`,
    )
  ).records;

/** Refs of tables and columns, by id. */
async function readRefs(api: Api, doc: string): Promise<Record<string, number>> {
  const rows = [
    ...(await records(api, doc, "_grist_Tables_column")).map(
      ({ id, fields }) => [String(fields["colId"]), id] as const,
    ),
    ...(await records(api, doc, "_grist_Tables")).map(({ id, fields }) => [String(fields["tableId"]), id] as const),
  ];
  return Object.fromEntries(rows);
}

interface Place {
  readonly apply: FormSite["apply"];
  readonly api: Api;
  readonly doc: string;
  readonly section: number;
}

/** Has the form ask for all columns, and returns the ids of the fields by column. */
async function addFields({ apply, api, doc, section }: Place, refs: Readonly<Record<string, number>>) {
  const own = await records(api, doc, "_grist_Views_section_field", { parentId: [section] });
  const fields: Record<string, number> = {};
  for (const { id } of COLUMNS) {
    const found = own.find((row) => row.fields["colRef"] === refs[id])?.id;
    const widgetOptions = JSON.stringify(OPTIONS[id] ?? {});
    const action =
      found === undefined
        ? ["AddRecord", "_grist_Views_section_field", null, { parentId: section, colRef: refs[id], widgetOptions }]
        : ["UpdateRecord", "_grist_Views_section_field", found, { widgetOptions }];
    const [added] = await apply(action);
    fields[id] = found ?? Number(added);
  }
  return fields;
}

function layoutOf(fields: Readonly<Record<string, number>>): object {
  const field = (name: string) => ({ type: "Field", leaf: fields[name] });
  const text = (markdown: string, alignment = "left") => ({ type: "Paragraph", text: markdown, alignment });
  return {
    type: "Layout",
    submitText: "Join",
    successText: "Thank you, see you **soon**.",
    anotherResponse: true,
    children: [
      text("## Join the *sailing* club", "center"),
      text("All who can swim are welcome. Read [the rules](https://example.com/rules).", "center"),
      {
        type: "Section",
        children: [
          text("### You"),
          field("Mail"),
          { type: "Columns", children: [field("Age"), field("Born"), { type: "Placeholder" }] },
          field("Arrives"),
          field("Agreed"),
        ],
      },
      {
        type: "Section",
        children: [
          text("### Your wishes"),
          field("Size"),
          field("Topics"),
          { type: "Separator" },
          field("Team"),
          field("Also"),
          field("Notes"),
          field("Photo"),
          field("Source"),
        ],
      },
      { type: "Submit" },
    ],
  };
}
