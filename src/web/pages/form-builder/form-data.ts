/** What the builder knows of a form, as the document's metadata has it. Read by the server and again by the script. */
import type { RecordJson } from "../../base/table-data.ts";
import { isHelperColumn } from "../../base/table-data.ts";
import { integerOf, jsonObject, textOf } from "../../base/views/metadata-values.ts";

export interface FormColumn {
  readonly ref: number;
  readonly id: string;
  readonly label: string;
  readonly description: string;
  /** As stored: `Ref:People`. */
  readonly type: string;
  /** Forms do not ask for the values of formulas. */
  readonly isComputed: boolean;
  readonly options: Readonly<Record<string, unknown>>;
}

export interface FormField {
  /** Row id in `_grist_Views_section_field`: the leaf of its box. */
  readonly ref: number;
  readonly colRef: number;
  /** JSON as text. */
  readonly widgetOptions: string;
}

/** The share of the published forms of a page. */
export interface FormShare {
  readonly ref: number;
  readonly linkId: string;
  /** JSON as text. */
  readonly options: string;
}

export interface FormState {
  /** Row id in `_grist_Views_section`. */
  readonly section: number;
  readonly table: string;
  readonly title: string;
  /** JSON as text, like `options` and `shareOptions`. */
  readonly layoutSpec: string;
  readonly options: string;
  readonly shareOptions: string;
  /** In their order. */
  readonly fields: readonly FormField[];
  /** In the order of the table. */
  readonly columns: readonly FormColumn[];
  /** Row id of its view; 0 for a form that is on no page. */
  readonly view: number;
  /** Row id of its page; 0 for a form that is on no page. */
  readonly page: number;
  readonly share: FormShare | null;
  /** Whether the page has other forms that are published. */
  readonly hasPublishedSiblings: boolean;
}

/** Data embedded in the page for its script. */
export interface FormBuilderData {
  readonly docId: string;
  /** The path of the document, with the prefix of its site. */
  readonly path: string;
  /** Id of the last event that `form` includes. */
  readonly eventId: string;
  readonly role: "owners" | "editors" | "viewers";
  /** Whether the user may change tables and columns. */
  readonly canChangeColumns: boolean;
  readonly timezone: string;
  readonly tables: readonly { readonly id: string; readonly title: string }[];
  readonly form: FormState;
}

/** Reads records of a metadata table whose column has one of the values. */
export type ReadMetadata = (
  table: string,
  filter: Readonly<Record<string, readonly number[]>>,
) => Promise<readonly RecordJson[]>;

/** Returns a form; null for a section that does not exist or is none, and for one of a table that the reader cannot see. */
export async function readForm(read: ReadMetadata, section: number): Promise<FormState | null> {
  const [found] = await read("_grist_Views_section", { id: [section] });
  const tableRef = integerOf(found?.fields["tableRef"]);
  const view = integerOf(found?.fields["parentId"]);
  if (found?.fields["parentKey"] !== "form" || tableRef === 0) return null;
  const [tables, fields, columns, pages, siblings] = await Promise.all([
    read("_grist_Tables", { id: [tableRef] }),
    read("_grist_Views_section_field", { parentId: [section] }),
    read("_grist_Tables_column", { parentId: [tableRef] }),
    read("_grist_Pages", { viewRef: [view] }),
    read("_grist_Views_section", { parentId: [view] }),
  ]);
  const table = textOf(tables[0]?.fields["tableId"]);
  if (table === "") return null;
  const page = view > 0 ? pages[0] : undefined;
  const shareRef = integerOf(page?.fields["shareRef"]);
  const [share] = shareRef > 0 ? await read("_grist_Shares", { id: [shareRef] }) : [];
  return {
    section,
    table,
    title: textOf(found.fields["title"]),
    layoutSpec: textOf(found.fields["layoutSpec"]),
    options: textOf(found.fields["options"]),
    shareOptions: textOf(found.fields["shareOptions"]),
    fields: inOrder(fields).map(({ id, fields: field }) => ({
      ref: id,
      colRef: integerOf(field["colRef"]),
      widgetOptions: textOf(field["widgetOptions"]),
    })),
    columns: inOrder(columns)
      .filter(({ fields: column }) => !isHelperColumn(textOf(column["colId"])))
      .map(readColumn),
    view,
    page: page?.id ?? 0,
    share: share
      ? { ref: share.id, linkId: textOf(share.fields["linkId"]), options: textOf(share.fields["options"]) }
      : null,
    hasPublishedSiblings: siblings.some(
      ({ id, fields: other }) => view > 0 && id !== section && isSharedAsForm(textOf(other["shareOptions"])),
    ),
  };
}

function inOrder(records: readonly RecordJson[]): RecordJson[] {
  const positionOf = ({ fields: { parentPos } }: RecordJson): number =>
    typeof parentPos === "number" ? parentPos : Number.MAX_VALUE;
  return records.toSorted((a, b) => positionOf(a) - positionOf(b) || a.id - b.id);
}

const readColumn = ({ id, fields }: RecordJson): FormColumn => ({
  ref: id,
  id: textOf(fields["colId"]),
  label: textOf(fields["label"]) || textOf(fields["colId"]),
  description: textOf(fields["description"]),
  type: textOf(fields["type"]),
  isComputed: fields["isFormula"] === true && textOf(fields["formula"]) !== "",
  options: jsonObject(fields["widgetOptions"]),
});

const isSharedAsForm = (shareOptions: string): boolean => {
  const { form, publish } = jsonObject(shareOptions);
  return form === true && publish === true;
};

/** Whether people with the link can open and send the form. */
export const isPublished = ({ shareOptions, share, page }: FormState): boolean =>
  page > 0 && share !== null && isSharedAsForm(shareOptions) && jsonObject(share.options)["publish"] === true;

export const columnOf = ({ columns }: FormState, { colRef }: FormField): FormColumn | undefined =>
  columns.find(({ ref }) => ref === colRef);

/** Returns the options of a field: those of its column, overlaid by its own. */
export const optionsOf = (form: FormState, field: FormField): Readonly<Record<string, unknown>> => ({
  ...columnOf(form, field)?.options,
  ...jsonObject(field.widgetOptions),
});

/** The part of a type before the colon. */
export const baseType = (type: string): string => type.replace(/:.*/s, "");
