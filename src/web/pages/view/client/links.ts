/** Keeps linked sections at the rows that the selected rows of others lead to. */
import { t } from "../../../base/client/texts.ts";
import { followLink, isCursorLink, type Link, readLink } from "../../../base/views/link-of.ts";
import type { SectionData } from "../../../base/views/section-data.ts";
import type { SectionLink } from "../../../base/views/section-link.ts";
import { sectionTitle } from "../../../base/views/section-title.ts";
import type { ViewPageData } from "../../../base/views/view-page-data.ts";
import { linkContext } from "./page-model.ts";
import type { SectionController } from "./section-controller.ts";

/** Moving through many rows selects each of them only for a moment. */
const DELAY_MS = 80;

export interface LinkedPage {
  readonly data: () => ViewPageData;
  readonly controllerOf: (section: number) => SectionController | undefined;
  /** Shows in the title of a section which row it belongs to; null without a link. */
  readonly showSource: (section: number, source: LinkSource | null) => void;
}

export interface LinkSource {
  readonly section: SectionData;
  /** The text of the selected row; empty where it says nothing. */
  readonly row: string;
}

export class Links {
  readonly #page: LinkedPage;
  /** The latest link of each section, as JSON. */
  readonly #applied = new Map<number, string>();
  readonly #waiting = new Set<number>();

  constructor(page: LinkedPage) {
    this.#page = page;
  }

  /** Follows the selected row of a section from now on. */
  add(section: number, controller: SectionController): void {
    this.#applied.delete(section);
    this.#apply(section);
    controller.onChange(() => {
      if (this.#waiting.size === 0) setTimeout(() => this.#followWaiting(), DELAY_MS);
      this.#waiting.add(section);
    });
    this.#follow(section);
  }

  /** The links themselves may have changed, or the columns that they name. */
  applyAll(): void {
    for (const { ref } of this.#page.data().sections) this.#apply(ref);
  }

  #followWaiting(): void {
    const sections = [...this.#waiting];
    this.#waiting.clear();
    for (const section of sections) this.#follow(section);
  }

  #follow(source: number): void {
    for (const { ref, linkSourceSection } of this.#page.data().sections)
      if (linkSourceSection === source) this.#apply(ref);
  }

  #apply(ref: number): void {
    const data = this.#page.data();
    const controller = this.#page.controllerOf(ref);
    const target = data.sections.find((each) => each.ref === ref);
    if (!controller || !target) return;
    const source = data.sections.find((each) => each.ref === target.linkSourceSection);
    const selecting = source && this.#page.controllerOf(source.ref);
    const refs = { source: target.linkSourceColumn, target: target.linkTargetColumn };
    const link = source && selecting ? readLink({ source, target }, refs, linkContext(data)) : null;
    if (!source || !selecting || !link) {
      this.#tell(ref, controller, followLink(null, null, ""));
      return this.#page.showSource(ref, null);
    }
    const row = selecting.activeRow;
    const missing = t("view.link.missing", { section: sectionTitle(t, source, data.tables) });
    if (row !== undefined) this.#tell(ref, controller, followLink(link, row, missing));
    // Rows of another selection must not be shown while the selected row is being read.
    else if (!this.#applied.has(ref)) this.#tell(ref, controller, followLink(link, null, ""));
    this.#page.showSource(ref, { section: source, row: nameOfRow(link, selecting, row) });
  }

  #tell(ref: number, controller: SectionController, link: SectionLink): void {
    const key = JSON.stringify(link);
    if (this.#applied.get(ref) === key || (!this.#applied.has(ref) && key === NONE)) return;
    this.#applied.set(ref, key);
    controller.setLink(link);
  }
}

const NONE = JSON.stringify(followLink(null, null, ""));

const nameOfRow = (link: Link, source: SectionController, row: SectionController["activeRow"]): string =>
  isCursorLink(link) || !row ? "" : source.nameOf(row);
