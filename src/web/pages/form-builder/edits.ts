/** The user actions of each edit of a form. Each is one bundle, which is undone in one step. */
import { jsonObject, withJsonKeys } from "../../base/views/metadata-values.ts";
import {
  boxAt,
  type BoxPath,
  type BoxPlace,
  changeBox,
  fieldBox,
  fieldsIn,
  type FormBox,
  formatFormLayout,
  insertBox,
  removeBox,
} from "../../base/views/form-layout.ts";
import { changedOptions, type FieldChanges } from "./field-options.ts";
import type { FormField, FormState } from "./form-data.ts";
import { type OwnSettings, withOwnSettings } from "./form-settings.ts";

export type UserAction = readonly [name: string, ...args: unknown[]];

const FIELDS = "_grist_Views_section_field";
const SECTIONS = "_grist_Views_section";
const SHARES = "_grist_Shares";

const updateSection = ({ section }: FormState, values: Readonly<Record<string, unknown>>): UserAction => [
  "UpdateRecord",
  SECTIONS,
  section,
  values,
];

/** Stores the layout. */
export const storeLayout = (form: FormState, root: FormBox): UserAction =>
  updateSection(form, { layoutSpec: formatFormLayout(root) });

/** Where a box is added, and to which layout. */
export interface Insertion {
  readonly root: FormBox;
  readonly place: BoxPlace;
  readonly newId: () => string;
}

const insertField = (form: FormState, { root, place, newId }: Insertion, field: number): UserAction =>
  storeLayout(form, insertBox(root, place, fieldBox(field, newId)));

/** Asks for a column. @param nextField the id of the new field; unused when the form has one for the column */
export function askForColumn(
  form: FormState,
  colRef: number,
  { nextField, ...insertion }: Insertion & { readonly nextField: number },
): UserAction[] {
  const shown = fieldsIn(insertion.root);
  const unused = form.fields.find((field) => field.colRef === colRef && !shown.has(field.ref));
  if (unused) return [insertField(form, insertion, unused.ref)];
  return [
    ["AddRecord", FIELDS, nextField, { parentId: form.section, colRef }],
    insertField(form, insertion, nextField),
  ];
}

export interface NewQuestion {
  readonly label: string;
  /** The type of the new column. */
  readonly type: string;
  /** Of a choice or choice list. */
  readonly choices?: readonly string[] | undefined;
  /** The ids that the document gives to the next column and field. */
  readonly nextColumn: number;
  readonly nextField: number;
}

/** Adds a column and asks for it. */
export function askNewQuestion(form: FormState, question: NewQuestion, insertion: Insertion): UserAction[] {
  const { label, type, choices = [], nextColumn, nextField } = question;
  const options = choices.length > 0 && { widgetOptions: JSON.stringify({ choices }) };
  return [
    ["AddColumn", form.table, label, { label, type, isFormula: false, ...options }],
    ["AddRecord", FIELDS, nextField, { parentId: form.section, colRef: nextColumn }],
    insertField(form, insertion, nextField),
  ];
}

/** Removes a box with the boxes and fields inside. Columns keep their data. */
export function removeFromForm(
  form: FormState,
  { root, path, newId }: { readonly root: FormBox; readonly path: BoxPath; readonly newId: () => string },
): UserAction[] {
  const removed = boxAt(root, path);
  const rest = removeBox(root, path, newId);
  const kept = fieldsIn(rest);
  const fields = form.fields
    .map(({ ref }) => ref)
    .filter((ref) => removed && fieldsIn(removed).has(ref) && !kept.has(ref));
  return [...(fields.length > 0 ? [["BulkRemoveRecord", FIELDS, fields] as const] : []), storeLayout(form, rest)];
}

/** Changes options of a question. */
export const changeField = (form: FormState, field: FormField, changes: FieldChanges): UserAction[] => {
  const widgetOptions = changedOptions(form, field, changes);
  return widgetOptions === field.widgetOptions ? [] : [["UpdateRecord", FIELDS, field.ref, { widgetOptions }]];
};

/** Changes keys of a box, such as the text of a paragraph. */
export const changeLayoutBox = (
  form: FormState,
  { root, path }: { readonly root: FormBox; readonly path: BoxPath },
  changes: Readonly<Record<string, unknown>>,
): UserAction[] => [storeLayout(form, changeBox(root, path, changes))];

export const changeTitle = (form: FormState, title: string): UserAction[] =>
  title === form.title ? [] : [updateSection(form, { title })];

export const changeOwnSettings = (form: FormState, changes: Partial<OwnSettings>): UserAction[] => {
  const options = withOwnSettings(form.options, changes);
  return options === form.options ? [] : [updateSection(form, { options })];
};

export interface Publication {
  readonly root: FormBox;
  /** Whether the link of the page's share exists; a copied document has the share without it. */
  readonly hasLink: boolean;
  /** For a new share. */
  readonly newId: () => string;
}

/** Publishes a form: its page gets a share, unless it has one. */
export function publish(form: FormState, { root, hasLink, newId }: Publication): UserAction[] {
  const { share, page, shareOptions } = form;
  const opened: UserAction[] =
    share && hasLink
      ? [["UpdateRecord", SHARES, share.ref, { options: withJsonKeys(share.options, { publish: true }) }]]
      : [
          ["AddRecord", SHARES, -1, { linkId: newId(), options: JSON.stringify({ publish: true }) }],
          ["UpdateRecord", "_grist_Pages", page, { shareRef: -1 }],
        ];
  return [
    ...opened,
    storeLayout(form, root),
    updateSection(form, { shareOptions: withJsonKeys(shareOptions, { form: true, publish: true }) }),
  ];
}

/** Ends the publication. The link stays the same for the next one. */
export function unpublish(form: FormState): UserAction[] {
  const { share, shareOptions, hasPublishedSiblings } = form;
  const closed: UserAction[] =
    share && !hasPublishedSiblings && jsonObject(share.options)["publish"] !== false
      ? [["UpdateRecord", SHARES, share.ref, { options: withJsonKeys(share.options, { publish: false }) }]]
      : [];
  return [updateSection(form, { shareOptions: withJsonKeys(shareOptions, { form: true, publish: false }) }), ...closed];
}
