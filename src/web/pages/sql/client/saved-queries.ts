/** The queries that are saved in the document: opened, saved and deleted. */
import { api, apiWithRetry } from "../../../base/client/api.ts";
import { confirmDialog, formDialog, openDialog } from "../../../base/client/dialog.ts";
import { h, icon, nameElement, replaceChildren } from "../../../base/client/dom.ts";
import { showError } from "../../../base/client/problem.ts";
import { t } from "../../../base/client/texts.ts";
import { timeElement } from "../../../base/client/times.ts";
import { showToast } from "../../../base/client/toast.ts";
import type { ParameterValue } from "./parameters.ts";

export interface SavedQuery {
  readonly id: number;
  readonly name: string;
  readonly sql: string;
  readonly args: readonly ParameterValue[];
  readonly author: string | null;
  readonly updatedAt: string;
}

export interface SavedQueriesOptions {
  readonly docId: string;
  readonly canSave: boolean;
  /** Shows which query is open. */
  readonly place: HTMLElement;
  /** The query in the editor, with the values of its parameters. */
  readonly current: () => { readonly sql: string; readonly args: readonly ParameterValue[] };
  readonly onOpen: (query: SavedQuery) => void;
}

export class SavedQueries {
  readonly #options: SavedQueriesOptions;
  readonly #path: string;
  #open: SavedQuery | null = null;

  constructor(options: SavedQueriesOptions) {
    this.#options = options;
    this.#path = `/api/docs/${encodeURIComponent(options.docId)}/queries`;
  }

  /** Opens the query that the address names. */
  async openFromAddress(): Promise<void> {
    const id = Number(new URLSearchParams(location.search).get("query"));
    if (!(id > 0)) return;
    const found = (await this.#read().catch(() => [])).find((query) => query.id === id);
    if (found) this.#show(found);
    else showToast(t("sql.saved.missing"), { problem: true });
  }

  /** Saves the query under the name of the open one, or another query under another name. */
  async save(): Promise<void> {
    const before = this.#open;
    const name = h("input", {
      type: "text",
      required: true,
      maxlength: 200,
      autocomplete: "off",
      value: before?.name ?? "",
    });
    let saved: SavedQuery | null = null;
    await formDialog({
      title: t("sql.save.title"),
      content: [h("label", {}, t("sql.save.name"), name), before && h("p", { class: "hint" }, t("sql.save.hint"))],
      action: t("sql.save"),
      submit: async (_form, signal) => {
        const body = { name: name.value.trim(), ...this.#options.current() };
        const isSame = before !== null && before.name === body.name;
        saved = await api<SavedQuery>(isSame ? `${this.#path}/${before.id}` : this.#path, {
          method: isSame ? "PATCH" : "POST",
          body,
          signal,
        });
      },
    });
    if (!saved) return;
    this.#setOpen(saved);
    showToast(t.rich("sql.save.done", { name: nameElement((saved as SavedQuery).name) }));
  }

  /** Lists the queries in a dialog. */
  async list(): Promise<void> {
    const place = h("div", { class: "problem-place" });
    const items = h("ul", { class: "last-queries" });
    const hint = h("p", { class: "quiet" }, t("sql.saved.hint"));
    const dialog = openDialog({ title: t("sql.saved"), wide: true, content: [hint, place, items] });
    const show = async () => {
      try {
        const queries = await this.#read();
        if (queries.length === 0) replaceChildren(hint, t("sql.saved.none"));
        const open = (query: SavedQuery) => {
          dialog.close();
          this.#show(query);
        };
        replaceChildren(items, ...queries.map((query) => this.#item(query, { open, removed: show })));
        items.querySelector("button")?.focus();
      } catch (error) {
        showError(place, error, { retry: () => void show() });
      }
    };
    await show();
  }

  #item(query: SavedQuery, { open, removed }: { open: (query: SavedQuery) => void; removed: () => Promise<void> }) {
    const { name, sql, updatedAt } = query;
    const remove = () =>
      void confirmDialog({
        title: t.rich("sql.saved.delete.title", { name: nameElement(name) }),
        text: t("sql.saved.delete.text"),
        action: t("sql.saved.delete.action"),
        isDangerous: true,
        submit: async (signal) => {
          await api(`${this.#path}/${query.id}`, { method: "DELETE", signal });
          if (this.#open?.id === query.id) this.#setOpen(null);
          await removed();
        },
      });
    const label = t("sql.saved.delete", { name });
    return h(
      "li",
      {},
      h(
        "button",
        { type: "button", class: "plain", onclick: () => open(query) },
        h("span", {}, h("strong", {}, nameElement(name)), h("code", { translate: "no" }, sql)),
      ),
      timeElement(updatedAt),
      this.#options.canSave &&
        h(
          "button",
          { type: "button", class: "bare", "aria-label": label, title: label, onclick: remove },
          icon("trash-2"),
        ),
    );
  }

  #read(): Promise<readonly SavedQuery[]> {
    return apiWithRetry<{ queries: readonly SavedQuery[] }>(this.#path).then(({ queries }) => queries);
  }

  #show(query: SavedQuery): void {
    this.#options.onOpen(query);
    this.#setOpen(query);
  }

  #setOpen(query: SavedQuery | null): void {
    this.#open = query;
    replaceChildren(this.#options.place, query && nameElement(query.name));
    const address = new URL(location.href);
    address.searchParams.delete("q");
    if (query) address.searchParams.set("query", String(query.id));
    else address.searchParams.delete("query");
    history.replaceState(history.state, "", address);
  }
}
