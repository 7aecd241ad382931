/** The pages of a document, for the tests of their commands. */
import type { Locator, Page } from "playwright-core";
import type { Visit } from "./browser.ts";
import { call, records } from "./calls.ts";

const METADATA = [
  "_grist_Tables",
  "_grist_Tables_column",
  "_grist_Views",
  "_grist_Pages",
  "_grist_Views_section",
  "_grist_Views_section_field",
  "_grist_Filters",
];

/** Returns the metadata of a document. */
export const metadata = (visit: Visit, doc: string) => Promise.all(METADATA.map((table) => records(visit, doc, table)));

export const apply = (visit: Visit, doc: string, actions: readonly unknown[]) =>
  call<{ retValues: unknown[] }>(visit, "POST", `/api/docs/${doc}/apply`, actions);

/** Adds pages without sections: each hyphen is a level. */
export async function addPages(visit: Visit, doc: string, names: readonly string[]): Promise<void> {
  for (const text of names) {
    const name = text.replace(/^-+/, "");
    const indentation = text.length - name.length;
    await apply(visit, doc, [
      ["AddRecord", "_grist_Views", -1, { name, type: "empty" }],
      ["AddRecord", "_grist_Pages", null, { viewRef: -1, indentation }],
    ]);
  }
}

/** Returns all pages in their order: each hyphen is a level. */
export async function outline(visit: Visit, doc: string): Promise<string[]> {
  const [pages, views] = await Promise.all([records(visit, doc, "_grist_Pages"), records(visit, doc, "_grist_Views")]);
  const names = new Map(views.map(({ id, fields }) => [id, String(fields["name"])]));
  return pages
    .toSorted((a, b) => Number(a.fields["pagePos"]) - Number(b.fields["pagePos"]))
    .map(({ fields }) => "-".repeat(Number(fields["indentation"])) + (names.get(Number(fields["viewRef"])) ?? ""));
}

/** The entry of a page in the sidebar. */
export const pageEntry = (page: Page, name: string): Locator =>
  page.locator("#pages").getByRole("treeitem", { name, exact: true });

/** The entries that the sidebar shows: each hyphen is a level. */
export const shownEntries = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll("#pages [role=treeitem]")]
    .filter((each) => each.checkVisibility())
    .map((each) => "-".repeat(Number(each.getAttribute("aria-level")) - 1) + each.dataset.title)`);
