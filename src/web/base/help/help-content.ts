/** Reads the documentation from the assets; it is decompressed for each request, since few pages of a server are of it. */
import { must } from "../../../lib/assert.ts";
import { readJsonAsset } from "../../assets.ts";
import type { HelpContents, HelpPage, HelpSection } from "./help-types.ts";
import type { HelpSearch } from "./search.ts";

/** The sections that a search finds, for the script. */
export const SECTIONS_ASSET = "help-sections.json";

export const readHelpContents = async (): Promise<HelpContents> =>
  must(await readJsonAsset<HelpContents>("help-contents.json"), "documentation");

/** Returns a page; null for an unknown name. */
export const readHelpPage = (name: string): Promise<HelpPage | null> => readJsonAsset(`help-page-${name}.json`);

let loaded: WeakRef<HelpSearch> | undefined;

/** Returns the search. Its index may be garbage collected, since it is used only where no script runs. */
export async function loadHelpSearch(): Promise<HelpSearch> {
  const found = loaded?.deref();
  if (found) return found;
  const { createHelpSearch } = await import("./search.ts");
  const search = createHelpSearch(must(await readJsonAsset<readonly HelpSection[]>(SECTIONS_ASSET), "search index"));
  loaded = new WeakRef(search);
  return search;
}
