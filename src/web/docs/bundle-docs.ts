/** The documentation as assets: a file for each page, the table of contents, the sections for searching, images. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { imageSize } from "image-size";
import type { HelpSection } from "../base/help/help-types.ts";
import { parseContents } from "./contents.ts";
import { renderPage } from "./page-renderer.ts";

export interface DocsOptions {
  /** The folder of the documentation. */
  readonly folder: string;
  /** Adds an asset. Returns its URL. */
  readonly addAsset: (name: string, content: string | Uint8Array<ArrayBuffer>) => string;
}

/**
 * Renders the documentation.
 * @throws Error when docs/README.md lists a page that does not exist, or a page shows a missing image
 */
export function bundleDocs({ folder, addAsset }: DocsOptions): void {
  const read = (path: string) => readFileSync(join(folder, path), "utf8");
  const contents = parseContents(read("README.md"));
  const names = contents.chapters.flatMap(({ pages }) => pages.map(({ name }) => name));
  const sections: HelpSection[] = [];
  const image = (path: string) => {
    const bytes = new Uint8Array(readFileSync(join(folder, path)));
    const { width, height } = imageSize(bytes);
    return { url: addAsset(`docs-${path.replace(/^.*\//, "")}`, bytes), width, height };
  };
  for (const name of names) {
    const rendered = renderPage(name, read(`${name}.md`), { pageNames: new Set(names), image });
    addAsset(`help-page-${name}.json`, JSON.stringify(rendered.page));
    sections.push(...rendered.sections);
  }
  addAsset("help-contents.json", JSON.stringify(contents));
  addAsset("help-sections.json", JSON.stringify(sections));
}
