/** The commands of the pages in the sidebar. */
import { navigateAfter } from "../../../pages/table/client/navigation.ts";
import { viewUrl } from "../../../pages/table/client/tables/table-url.ts";
import { duplicatePage } from "../../views/duplicate-page.ts";
import { integerOf, textOf } from "../../views/metadata-values.ts";
import {
  type EditAction,
  movePage,
  type PageOrder,
  type PageTarget,
  pageTargets,
  type PageTargets,
  removePage,
  renamePage,
  tablesOnlyOn,
} from "../../views/page-edits.ts";
import type { PageItem } from "../../views/page-list.ts";
import { errorContent } from "../api.ts";
import { formDialog } from "../dialog.ts";
import { type Child, findOptional, h, nameElement } from "../dom.ts";
import { formText, inputField } from "../form-field.ts";
import { type MenuItem, openMenu } from "../menu.ts";
import { t } from "../texts.ts";
import { showToast } from "../toast.ts";
import type { ListedPage, PageTreeContext } from "./page-context.ts";
import { keepPageToast, type PageToast, reportPageChange } from "./page-toasts.ts";
import { readDocumentParts, readMetadata, readPageOrder, type TitledTable } from "./read-pages.ts";
import { focusedPage, refreshPages } from "./refresh-pages.ts";

const MAX_NAME_LENGTH = 200;

type MoveCommand = keyof PageTargets;

export function openPageMenu(button: HTMLElement, page: ListedPage, context: PageTreeContext): void {
  const targets = pageTargets(listedOrder(), page.ref);
  const run = (work: () => Promise<unknown>) => () =>
    void work().catch((error: unknown) => showToast(errorContent(error), { problem: true }));
  const move = (command: MoveCommand): Pick<MenuItem, "run" | "unavailable" | "shortcut"> => ({
    run: run(() => movePageBy(page, command, context)),
    // The reason takes the place of the shortcut.
    ...(targets[command] ? { shortcut: SHORTCUTS[command] } : { unavailable: REASONS()[command] }),
  });
  openMenu(button, [
    {
      label: t("pageList.rename.menu"),
      icon: "pencil",
      shortcut: "F2",
      run: run(() => renameListedPage(page, context)),
    },
    { label: t("pageList.duplicate"), icon: "copy", run: run(() => duplicateListedPage(page, context)) },
    "separator",
    { label: t("pageList.up"), icon: "arrow-up", ...move("up") },
    { label: t("pageList.down"), icon: "arrow-down", ...move("down") },
    { label: t("pageList.indent"), icon: "arrow-right", ...move("indent") },
    { label: t("pageList.outdent"), icon: "arrow-left", ...move("outdent") },
    "separator",
    {
      label: t("pageList.delete.menu"),
      icon: "trash-2",
      isDangerous: true,
      run: run(() => deleteListedPage(page, context)),
    },
  ]);
}

const SHORTCUTS: Readonly<Record<MoveCommand, string>> = {
  up: "Alt+Shift+ArrowUp",
  down: "Alt+Shift+ArrowDown",
  indent: "Alt+Shift+ArrowRight",
  outdent: "Alt+Shift+ArrowLeft",
};

const REASONS = (): Readonly<Record<MoveCommand, string>> => ({
  up: t("pageList.up.none"),
  down: t("pageList.down.none"),
  indent: t("pageList.indent.none"),
  outdent: t("pageList.outdent.none"),
});

/** Returns the pages as the sidebar lists them. */
export function listedOrder(): PageOrder {
  const items = [...document.querySelectorAll<HTMLElement>("#pages li[data-page]")];
  const shown = items.map(({ dataset }, position): PageItem => ({
    ref: Number(dataset["page"]),
    view: Number(dataset["view"]),
    name: dataset["title"] ?? "",
    indentation: Number(dataset["indentation"]),
    position,
    isFolded: false,
    shareRef: 0,
  }));
  return { all: shown, shown };
}

/** Moves a page one step, if it can be moved. */
export async function movePageBy(page: ListedPage, command: MoveCommand, context: PageTreeContext): Promise<void> {
  const order = await readPageOrder(context.docId);
  const target = pageTargets(order, page.ref)[command];
  if (target) await moveTo(page, target, { order, context });
}

/** Moves a page to where it was dropped. */
export const dropPage = async (page: ListedPage, target: PageTarget, context: PageTreeContext): Promise<void> =>
  moveTo(page, target, { order: await readPageOrder(context.docId), context });

async function moveTo(
  page: ListedPage,
  target: PageTarget,
  { order, context }: { order: PageOrder; context: PageTreeContext },
): Promise<void> {
  const { activeElement } = document;
  const focused = focusedPage();
  await applyHere(movePage(order, page.ref, target), { kind: "moved", name: page.name }, context);
  // A page that is now below a folded one is shown.
  for (let below = itemOf(page)?.closest(".below"); below; below = below.parentElement?.closest(".below") ?? null) {
    below.previousElementSibling?.setAttribute("aria-expanded", "true");
  }
  // The user may have gone on meanwhile.
  const hasStayed = [activeElement, document.body].includes(document.activeElement);
  if (hasStayed || (focused !== undefined && focusedPage() === focused)) itemOf(page)?.focus();
}

const itemOf = ({ ref }: ListedPage): HTMLElement | null => findOptional(`#page-${ref}`);

/** Applies an edit, and shows it in the sidebar. */
async function applyHere(actions: readonly EditAction[], toast: PageToast, context: PageTreeContext): Promise<void> {
  if (actions.length === 0) return;
  const changes = await context.changes();
  await changes.apply(actions, { asTyped: false });
  await refreshPages(context.docId);
  reportPageChange(context, changes, toast);
}

export async function renameListedPage(page: ListedPage, context: PageTreeContext): Promise<void> {
  const { name, view } = page;
  await formDialog({
    title: t.rich("pageList.rename.title", { page: nameElement(name) }),
    content: [
      inputField(t("pageList.name"), {
        name: "name",
        value: name,
        required: true,
        maxlength: MAX_NAME_LENGTH,
        translate: "no",
      }),
      h("p", { class: "hint" }, t("pageList.rename.hint")),
    ],
    action: t("pageList.rename.action"),
    submit: async (form) => {
      const newName = formText(form, "name");
      if (newName === name || newName === "") return;
      await applyHere(renamePage(view, newName), { kind: "renamed", name, newName }, context);
    },
  });
  itemOf(page)?.focus();
}

export async function duplicateListedPage({ view, name }: ListedPage, context: PageTreeContext): Promise<void> {
  const { docId } = context;
  const newName = t("pageList.copyName", { page: name }).slice(0, MAX_NAME_LENGTH);
  const changes = await context.changes();
  await navigateAfter(async () => {
    const { actions, copy } = await planCopy(docId, view, newName);
    await changes.apply(actions, { asTyped: false });
    keepPageToast(context, changes, { kind: "duplicated", name, newName });
    return viewUrl(docId, copy);
  });
}

async function planCopy(docId: string, view: number, name: string): Promise<{ actions: EditAction[]; copy: number }> {
  const read = (table: string, filter?: Readonly<Record<string, readonly number[]>>) =>
    readMetadata(docId, table, filter);
  const [views, sections, fields, filters, { tables }] = await Promise.all([
    read("_grist_Views"),
    read("_grist_Views_section"),
    read("_grist_Views_section_field"),
    read("_grist_Filters"),
    readDocumentParts(docId),
  ]);
  const source = views.find(({ id }) => id === view);
  if (!source) throw new Error("The page does not exist");
  const own = sections.filter((section) => integerOf(section.fields["parentId"]) === view);
  const refs = new Set(own.map(({ id }) => id));
  const tableRefs = [...new Set(own.map((section) => integerOf(section.fields["tableRef"])))];
  const columns = await read("_grist_Tables_column", { parentId: tableRefs });
  const after = (records: readonly { readonly id: number }[]) => Math.max(0, ...records.map(({ id }) => id)) + 1;
  const copy = after(views);
  const actions = duplicatePage(
    {
      view: source,
      sections: own,
      fields: fields.filter((field) => refs.has(integerOf(field.fields["parentId"]))),
      filters: filters.filter((filter) => refs.has(integerOf(filter.fields["viewSectionRef"]))),
    },
    {
      name,
      firstIds: { view: copy, section: after(sections), field: after(fields), filter: after(filters) },
      columns: columns.map(({ id, fields: { parentId, colId, formula } }) => ({
        ref: id,
        tableRef: integerOf(parentId),
        id: textOf(colId),
        formula: textOf(formula),
      })),
      tableIds: new Map(tables.map((table) => [table.ref, table.id])),
    },
  );
  return { actions, copy };
}

/** Deletes a page; asks about the tables that no other page shows. */
export async function deleteListedPage(page: ListedPage, context: PageTreeContext): Promise<void> {
  const { tables, sections } = await readDocumentParts(context.docId);
  const only = tablesOnlyOn(page.view, sections, tables);
  if (only.length === 0) return deleteWith(page, [], context);
  await formDialog({
    title: t.rich("pageList.delete.title", { page: nameElement(page.name) }),
    content: [
      h("p", {}, t("pageList.delete.text", { count: only.length })),
      tableChoice("keep", t.rich("pageList.delete.keep", { count: only.length, tables: names(only) }), true),
      tableChoice("delete", t.rich("pageList.delete.also", { count: only.length, tables: names(only) }), false),
    ],
    action: t("pageList.delete.action"),
    isDangerous: true,
    submit: (form) => deleteWith(page, formText(form, "tables") === "delete" ? only.map(({ id }) => id) : [], context),
  });
}

const tableChoice = (value: string, label: readonly Child[], checked: boolean): HTMLElement =>
  h(
    "label",
    { class: "choice" },
    h("input", { type: "radio", name: "tables", value, checked }),
    h("span", {}, ...label),
  );

const names = (tables: readonly TitledTable[]): HTMLElement =>
  h("span", {}, ...tables.flatMap(({ title }, at) => [at > 0 && t("pageList.delete.separator"), nameElement(title)]));

async function deleteWith(page: ListedPage, tables: readonly string[], context: PageTreeContext): Promise<void> {
  const toast: PageToast = { kind: "deleted", name: page.name };
  const actions = removePage(page.view, tables);
  const isShown = location.pathname.endsWith(viewUrl(context.docId, page.view));
  if (tables.length === 0 && !isShown) {
    const next = nextItem(page);
    await applyHere(actions, toast, context);
    (findOptional(`#${CSS.escape(next)}`) ?? findOptional("#pages [tabindex='0']"))?.focus();
    return;
  }
  const changes = await context.changes();
  await navigateAfter(async () => {
    await changes.apply(actions, { asTyped: false, changesTables: tables.length > 0 });
    keepPageToast(context, changes, toast);
    return `/docs/${context.docId}`;
  });
}

/** Returns the id of the entry that takes the focus of a deleted one. */
function nextItem({ ref }: ListedPage): string {
  const items = [...document.querySelectorAll<HTMLElement>("#pages li[data-page]")];
  const at = items.findIndex(({ id }) => id === `page-${ref}`);
  return (items[at + 1] ?? items[at - 1])?.id ?? "none";
}
