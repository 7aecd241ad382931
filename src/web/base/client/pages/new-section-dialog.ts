/** The dialog that adds a section: on a new page, or on an existing one. */
import { navigateAfter } from "../../../pages/table/client/navigation.ts";
import { viewUrl } from "../../../pages/table/client/tables/table-url.ts";
import type { UndoManager } from "../../../pages/table/client/undo-manager.ts";
import { isHelperColumn } from "../../table-data.ts";
import { integerOf, textOf } from "../../views/metadata-values.ts";
import { addSection, type BeforeSection, type NewSection, type SectionLinkRefs } from "../../views/new-section.ts";
import { ApiError } from "../api.ts";
import { formDialog } from "../dialog.ts";
import { h, icon, replaceChildren } from "../dom.ts";
import { formText, inputField } from "../form-field.ts";
import { t } from "../texts.ts";
import type { PageTreeContext } from "./page-context.ts";
import { keepPageToast } from "./page-toasts.ts";
import { readDocumentParts, readMetadata, type TitledTable } from "./read-pages.ts";

export interface NewSectionOptions extends Omit<PageTreeContext, "importFile"> {
  /** The page that gets the section; null for a new page. */
  readonly view: number | null;
  /** Opens the import window in place of the dialog. */
  readonly importFile?: (() => void) | null;
  /** Returns the sections of the page that can select the rows of the new one. */
  readonly offers?: (table: {
    readonly id: string;
    readonly ref: number;
    readonly columns: readonly OfferColumn[];
  }) => readonly SectionOffer[];
  /** Called when the section was added to the page, with its id. The caller shows it, and reports it with Undo. */
  readonly added?: (section: number, changes: UndoManager) => Promise<void>;
}

export interface SectionOffer {
  readonly label: string;
  readonly link: SectionLinkRefs;
}

export interface OfferColumn {
  readonly ref: number;
  readonly id: string;
  readonly label: string;
  readonly type: string;
}

interface Column extends OfferColumn {
  readonly isFormula: boolean;
  readonly isShown: boolean;
}

const MAX_NAME_LENGTH = 200;
const NEW_TABLE = "0";
const KINDS = ["record", "detail", "single", "form"] as const;
type Kind = (typeof KINDS)[number];

const kindLabels = (): Readonly<Record<Kind, string>> => ({
  record: t("pageList.kind.record"),
  detail: t("pageList.kind.detail"),
  single: t("pageList.kind.single"),
  form: t("pageList.kind.form"),
});

export async function openNewSection(options: NewSectionOptions): Promise<void> {
  const { docId, view } = options;
  const { tables } = await readDocumentParts(docId);
  const own = tables.filter(({ sourceRef }) => sourceRef === 0);
  const form = new SectionFields(options, own);
  await form.showTable();
  let section: number | null = null;
  await formDialog({
    title: view === null ? t("pageList.new.title") : t("pageList.section.title"),
    content: [...form.elements, ...importOffer(options)],
    action: view === null ? t("pageList.new.action") : t("pageList.section.action"),
    submit: async (data) => {
      section = await create(form.read(data), form.heading(data), options);
    },
  });
  if (section !== null) await options.added?.(section, await options.changes());
}

/** The import makes tables, and pages that show them. */
function importOffer({ importFile, view }: NewSectionOptions): HTMLElement[] {
  if (!importFile || view !== null) return [];
  const open = ({ currentTarget }: Event) => {
    (currentTarget as HTMLElement).closest("dialog")?.close();
    importFile();
  };
  return [h("button", { type: "button", class: "plain small", onclick: open }, icon("upload"), t("import.menu.table"))];
}

class SectionFields {
  readonly elements: readonly HTMLElement[];
  readonly #options: NewSectionOptions;
  readonly #tables: readonly TitledTable[];
  readonly #table: HTMLSelectElement;
  readonly #name: HTMLLabelElement;
  readonly #kinds: HTMLFieldSetElement;
  readonly #summary: HTMLInputElement;
  readonly #summaryChoice: HTMLElement;
  readonly #groups: HTMLFieldSetElement;
  readonly #source: HTMLSelectElement;
  readonly #sourceField: HTMLElement;
  #columns: readonly Column[] = [];
  #offers: readonly SectionOffer[] = [];

  constructor(options: NewSectionOptions, tables: readonly TitledTable[]) {
    this.#options = options;
    this.#tables = tables;
    this.#table = h(
      "select",
      { name: "table", translate: "no", onchange: () => void this.showTable() },
      h("option", { value: NEW_TABLE, translate: "yes" }, t("pageList.new.newTable")),
      ...tables.map(({ ref, title }) => h("option", { value: ref }, title)),
    );
    this.#table.value = String(tables[0]?.ref ?? NEW_TABLE);
    this.#name = inputField(t("pageList.new.tableName"), {
      name: "name",
      maxlength: MAX_NAME_LENGTH,
      required: true,
      translate: "no",
    });
    const labels = kindLabels();
    this.#kinds = h(
      "fieldset",
      { class: "choices" },
      h("legend", {}, t("pageList.new.kind")),
      ...KINDS.map((kind) =>
        h(
          "label",
          { class: "choice" },
          h("input", {
            type: "radio",
            name: "kind",
            value: kind,
            checked: kind === "record",
            onchange: () => this.#show(),
          }),
          labels[kind],
        ),
      ),
    );
    this.#summary = h("input", { type: "checkbox", name: "summary", onchange: () => this.#show() });
    this.#summaryChoice = h("label", { class: "choice" }, this.#summary, t("pageList.new.summary"));
    this.#groups = h("fieldset", { class: "choices" });
    this.#source = h("select", { name: "source", translate: "no" });
    this.#sourceField = h("label", {}, t("pageList.new.selectBy"), this.#source);
    this.elements = [
      h("label", {}, t("pageList.new.table"), this.#table),
      this.#name,
      this.#kinds,
      this.#summaryChoice,
      this.#groups,
      this.#sourceField,
    ];
  }

  get #isNew(): boolean {
    return this.#table.value === NEW_TABLE;
  }

  get #kind(): Kind {
    const chosen = this.#kinds.querySelector<HTMLInputElement>("input:checked");
    return KINDS.find((kind) => kind === chosen?.value) ?? "record";
  }

  /** Reads the columns of the chosen table. */
  async showTable(): Promise<void> {
    const ref = Number(this.#table.value);
    const columns = ref === 0 ? [] : await readColumns(this.#options.docId, ref);
    // Another table may have been chosen meanwhile.
    if (ref !== Number(this.#table.value)) return;
    this.#columns = columns;
    replaceChildren(
      this.#groups,
      h("legend", {}, t("pageList.new.groupBy")),
      ...groupChoices(columns, []),
      h("p", { class: "hint" }, t("pageList.new.groupByHint")),
    );
    this.#show();
  }

  #show(): void {
    const isForm = this.#kind === "form";
    this.#name.hidden = !this.#isNew;
    const input = this.#name.querySelector("input");
    if (input) input.disabled = !this.#isNew;
    this.#summaryChoice.hidden = this.#isNew || isForm;
    this.#groups.hidden = this.#summaryChoice.hidden || !this.#summary.checked;
    const table = this.#tables.find(({ ref }) => String(ref) === this.#table.value);
    const canLink = table !== undefined && !isForm && this.#groups.hidden;
    this.#offers = canLink ? (this.#options.offers?.({ ...table, columns: this.#columns }) ?? []) : [];
    this.#sourceField.hidden = this.#offers.length === 0;
    replaceChildren(
      this.#source,
      h("option", { value: "", translate: "yes" }, t("pageList.new.selectBy.none")),
      ...this.#offers.map(({ label }, index) => h("option", { value: index }, label)),
    );
  }

  read(form: FormData): NewSection {
    const isGrouped = !this.#groups.hidden;
    const source = formText(form, "source");
    return {
      tableRef: Number(this.#table.value),
      tableName: this.#isNew ? formText(form, "name") : null,
      kind: this.#kind,
      groupBy: isGrouped ? form.getAll("group").map(Number) : null,
      view: this.#options.view ?? 0,
      link: source === "" ? null : (this.#offers[Number(source)]?.link ?? null),
    };
  }

  /** What a form begins with. */
  heading(form: FormData): Pick<BeforeSection, "title" | "formColumns"> {
    const table = this.#tables.find(({ ref }) => String(ref) === this.#table.value);
    const formColumns = this.#columns.filter(
      ({ isShown, isFormula, type }) => isShown && !isFormula && type !== "Attachments",
    );
    return { title: table?.title ?? formText(form, "name"), formColumns: formColumns.length };
  }
}

/** Returns a choice for each column that a summary can be grouped by. */
export function groupChoices(
  columns: readonly (OfferColumn & { readonly isShown: boolean })[],
  chosen: readonly number[],
): HTMLElement[] {
  return columns
    .filter(({ isShown }) => isShown)
    .map(({ ref, label }) =>
      h(
        "label",
        { class: "choice" },
        h("input", { type: "checkbox", name: "group", value: ref, checked: chosen.includes(ref) }),
        h("bdi", { translate: "no" }, label),
      ),
    );
}

/** Returns the columns of a table. @throws Failure */
export async function readColumns(docId: string, tableRef: number): Promise<Column[]> {
  const records = await readMetadata(docId, "_grist_Tables_column", { parentId: [tableRef] });
  return records
    .toSorted((a, b) => Number(a.fields["parentPos"]) - Number(b.fields["parentPos"]))
    .map(({ id: ref, fields }) => {
      const id = textOf(fields["colId"]);
      return {
        ref,
        id,
        label: textOf(fields["label"]) || id,
        type: textOf(fields["type"]),
        isFormula: fields["isFormula"] === true && textOf(fields["formula"]) !== "",
        isShown: !isHelperColumn(id),
      };
    });
}

/** Returns the section that was added to the page; null when the browser opens another page. */
async function create(
  request: NewSection,
  heading: Pick<BeforeSection, "title" | "formColumns">,
  options: NewSectionOptions,
): Promise<number | null> {
  const { docId, view } = options;
  const changes = await options.changes();
  const apply = async () => {
    const plan = addSection(request, { ...heading, ...(await readBefore(docId, request)) });
    const isNewTable = request.tableRef === 0;
    const [made] = await changes.apply(plan.actions, { asTyped: false, changesTables: isNewTable && view === null });
    const result = made as MadeSection;
    if (plan.section !== null && result.sectionRef !== plan.section) {
      // Another client added a section meanwhile: the bundle has changed that one.
      await changes.undo(changes.latestState ?? undefined);
      throw new ApiError("refused", t("pageList.new.again"), {});
    }
    return result;
  };
  if (view !== null && request.kind !== "form") return (await apply()).sectionRef ?? null;
  await navigateAfter(async () => {
    const result = await apply();
    const newView = result.viewRef ?? result.views?.[0]?.id ?? 0;
    const [record] = view === null ? await readMetadata(docId, "_grist_Views", { id: [newView] }) : [];
    if (record) keepPageToast(options, changes, { kind: "added", name: textOf(record.fields["name"]) });
    return request.kind === "form" && result.sectionRef !== undefined
      ? `/docs/${docId}/forms/${result.sectionRef}/edit`
      : viewUrl(docId, newView);
  });
  return null;
}

/** The result of `CreateViewSection`, or of `AddEmptyTable`. */
interface MadeSection {
  readonly sectionRef?: number;
  readonly viewRef?: number;
  readonly views?: readonly { readonly id: number }[];
}

type Before = Pick<BeforeSection, "lastSection" | "lastField" | "groupings" | "newId">;

async function readBefore(docId: string, { tableRef, groupBy }: NewSection): Promise<Before> {
  const [sections, fields, tables] = await Promise.all([
    readMetadata(docId, "_grist_Views_section"),
    readMetadata(docId, "_grist_Views_section_field"),
    groupBy === null ? [] : readMetadata(docId, "_grist_Tables", { summarySourceTable: [tableRef] }),
  ]);
  const parentId = tables.map(({ id }) => id);
  const columns = await readMetadata(docId, "_grist_Tables_column", { parentId });
  const last = (records: readonly { readonly id: number }[]) => Math.max(0, ...records.map(({ id }) => id));
  return {
    lastSection: last(sections),
    lastField: last(fields),
    groupings: parentId.map((ref) =>
      columns
        .filter((column) => column.fields["parentId"] === ref)
        .map((column) => integerOf(column.fields["summarySourceCol"]))
        .filter((source) => source > 0),
    ),
    newId: () => crypto.randomUUID(),
  };
}
