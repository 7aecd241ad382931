import type { Locator, Page } from "playwright-core";
import { dialog } from "./controls.ts";

/** Helpers of the tests of the import window. */

export interface TestFile {
  readonly name: string;
  readonly mimeType?: string;
  readonly buffer: Buffer;
}

export const textFile = (name: string, text: string): TestFile => ({ name, buffer: Buffer.from(text) });

export const importWindow = (page: Page): Locator => dialog(page).filter({ hasText: "Import a file" });

/** Chooses a file in the open window. */
export async function chooseFile(page: Page, { name, mimeType = "text/plain", buffer }: TestFile): Promise<void> {
  await importWindow(page).locator("input[type=file]").setInputFiles({ name, mimeType, buffer });
}

/** Drops a file on an element, as from a desktop folder. */
export const dropFile = (page: Page, selector: string, name: string, text: string): Promise<void> =>
  page.evaluate(`(() => {
    const data = new DataTransfer();
    data.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
    const options = { dataTransfer: data, bubbles: true, cancelable: true };
    const target = document.querySelector(${JSON.stringify(selector)});
    target.dispatchEvent(new DragEvent("dragover", options));
    target.dispatchEvent(new DragEvent("drop", options));
  })()`);

/** The texts of the rows of columns: of each cell its text, or the chosen option. */
export const columnLines = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll(".import-columns tbody tr")].map((row) =>
    [...row.children].filter((cell) => !cell.hidden).map((cell) =>
      [...cell.childNodes].map((node) => {
        if (node.hidden) return "";
        if (node.localName === "select") return node.selectedOptions[0]?.textContent ?? "";
        return node.textContent;
      }).filter(Boolean).join(" ")
    ).join(" | "))`);

export const result = (page: Page): Locator => page.locator(".import-result");
