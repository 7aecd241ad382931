/** The state of a form in the bar, and its link. */
import { api, ApiError } from "../../../base/client/api.ts";
import { copyText } from "../../../base/client/copy.ts";
import { find, h, replaceChildren } from "../../../base/client/dom.ts";
import { isBusy, setBusy } from "../../../base/client/focus.ts";
import { randomUuid } from "../../../base/client/random-uuid.ts";
import { t } from "../../../base/client/texts.ts";
import { showToast } from "../../../base/client/toast.ts";
import { publish, unpublish } from "../edits.ts";
import { isPublished } from "../form-data.ts";
import type { Builder } from "./builder.ts";

interface ShareKey {
  readonly linkId: string;
  readonly key: string;
}

/** Shows the state, and keeps it up to date. */
export const showPublication = (builder: Builder): unknown => new Publication(builder);

class Publication {
  readonly #builder: Builder;
  readonly #publish: HTMLButtonElement | null;
  readonly #copy: HTMLButtonElement | null;
  #state = "";

  constructor(builder: Builder) {
    this.#builder = builder;
    this.#publish = document.querySelector<HTMLButtonElement>("#publish");
    this.#copy = document.querySelector<HTMLButtonElement>("#copy-link");
    this.#publish?.addEventListener("click", () => void this.#toggle());
    this.#copy?.addEventListener("click", () => void this.copyLink());
    builder.onChange(() => this.#show());
    this.#show();
  }

  #show(): void {
    const { form, hasUnsaved } = this.#builder;
    const published = isPublished(form);
    const state = t(published ? (hasUnsaved ? "formBuilder.unsaved" : "formBuilder.published") : "formBuilder.draft");
    if (this.#copy) this.#copy.hidden = !published;
    if (this.#publish) {
      this.#publish.textContent = t(published ? "formBuilder.unpublish" : "formBuilder.publish");
      this.#publish.classList.toggle("plain", published);
    }
    if (state === this.#state) return;
    this.#state = state;
    replaceChildren(find("#form-state"), h("span", { class: published ? "badge good" : "badge quiet" }, state));
  }

  async #toggle(): Promise<void> {
    const button = this.#publish;
    if (!button || isBusy(button)) return;
    setBusy(button, true);
    const wasPublished = isPublished(this.#builder.form);
    const isDone = await this.#builder.edit(
      async () => {
        const { form, root } = this.#builder;
        if (wasPublished) return unpublish(form);
        return publish(form, { root, hasLink: await this.#hasLink(), newId: randomUuid });
      },
      { retry: () => void this.#toggle() },
    );
    setBusy(button, false);
    if (!isDone) return;
    const copy = { action: { label: t("formBuilder.copyLink"), run: () => void this.copyLink() } };
    if (wasPublished) showToast(t("formBuilder.unpublished"));
    else showToast(t("formBuilder.nowPublished"), this.#copy ? copy : {});
  }

  /** Copies the public address. */
  async copyLink(): Promise<void> {
    try {
      const { section } = this.#builder.form;
      const key = await this.#key();
      if (key === null) return void showToast(t("formBuilder.noLink"), { problem: true });
      if (await copyText(`${location.origin}/forms/${key}/${section}`)) showToast(t("formBuilder.linkCopied"));
    } catch (error) {
      this.#builder.showError(error);
    }
  }

  /** Only owners can read the keys of links; for editors, the link of a share is taken to exist. */
  async #hasLink(): Promise<boolean> {
    if (this.#builder.form.share === null) return false;
    return this.#builder.data.role !== "owners" || (await this.#key()) !== null;
  }

  async #key(): Promise<string | null> {
    const { form, data } = this.#builder;
    const shares = await api<readonly ShareKey[]>(`/api/docs/${data.docId}/shares`).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return [];
      throw error;
    });
    return shares.find(({ linkId }) => linkId === form.share?.linkId)?.key ?? null;
  }
}
