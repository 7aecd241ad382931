import type { Sample } from "../../../scripts/screenshots/sample.ts";

/** The columns of the table `Kinds`, in this order. */
export const KINDS = [
  "Text",
  "Numeric",
  "Int",
  "Bool",
  "Date",
  "DateTime:Europe/Berlin",
  "Choice",
  "ChoiceList",
  "Ref:Places",
  "RefList:Places",
  "Attachments",
  "Any",
] as const;

export const columnName = (type: (typeof KINDS)[number]): string => `A${type.replace(/:.*/, "")}`;

/** The positions of the columns of Markdown and of hyperlinks, after the formulas. */
export const MARKDOWN_COLUMN = KINDS.length + 3;
export const LINK_COLUMN = KINDS.length + 4;

/** Creates a document with a column of each type, a formula, a formula that fails, Markdown, hyperlinks, and values that do not fit. */
export async function makeKinds({ call, workspaceId, session }: Sample, address: string): Promise<string> {
  const doc = await call<string>("POST", `/workspaces/${workspaceId}/docs`, { name: "Kinds" });
  const choices = JSON.stringify({ choices: ["Red", "Blue"] });
  const places = { id: "Places", columns: [{ id: "City", fields: { type: "Text" } }] };
  const columns = KINDS.map((type) => ({
    id: columnName(type),
    fields: { type, label: columnName(type), ...(type.startsWith("Choice") && { widgetOptions: choices }) },
  }));
  const texts = [
    { id: "Notes", fields: { type: "Text", widgetOptions: JSON.stringify({ widget: "Markdown" }) } },
    { id: "Site", fields: { type: "Text", widgetOptions: JSON.stringify({ widget: "HyperLink" }) } },
  ];
  const formulas = [
    { id: "Sum", fields: { type: "Numeric", isFormula: true, formula: "$ANumeric * 2" } },
    { id: "Broken", fields: { type: "Any", isFormula: true, formula: "$ANumeric / 0" } },
  ];
  await call("POST", `/docs/${doc}/tables`, {
    tables: [places, { id: "Kinds", columns: [...columns, ...formulas, ...texts] }],
  });
  await call("POST", `/docs/${doc}/tables/Places/records`, { records: [{ fields: { City: "Berlin" } }] });
  const upload = new FormData();
  upload.append("upload", new File(["a note"], "Note.txt"));
  const headers = { Cookie: `quern_session=${session}`, "X-Requested-With": "XMLHttpRequest" };
  const uploaded = await fetch(`${address}/api/docs/${doc}/attachments`, { method: "POST", headers, body: upload });
  const [file] = (await uploaded.json()) as number[];
  const values = { AText: "Some text", ANumeric: 1.5, AInt: 3, ABool: true, ADate: 86_400, ADateTime: 86_400 };
  const shown = {
    Notes: "**Fragile**, see [packing](https://quern.example/packing)",
    Site: "Shop https://quern.example",
  };
  const others = { AChoice: "Red", AChoiceList: ["L", "Red", "Green"], ARef: 1, ARefList: ["L", 1], AAny: "any" };
  const misfits = { AText: "Other", ANumeric: "n/a", AInt: "x", ADate: "soon", AChoice: "Pink", ARef: "Rome" };
  const records = [{ ...values, ...others, ...shown, AAttachments: ["L", file ?? 0] }, misfits].map((fields) => ({
    fields,
  }));
  await call("POST", `/docs/${doc}/tables/Kinds/records`, { records });
  return doc;
}
