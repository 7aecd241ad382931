import type { SchemaTable } from "./sql-schema.ts";

/** Returns the tables and columns that the page lists. */
export function readSchema(list: HTMLElement): SchemaTable[] {
  return [...list.querySelectorAll<HTMLElement>(":scope > ul > li")].flatMap((item) => {
    const table = item.querySelector<HTMLElement>("button[data-table]");
    if (!table) return [];
    const columns = [...item.querySelectorAll<HTMLElement>("button[data-column]")].map((button) => ({
      id: button.dataset["column"] ?? "",
      name: nameIn(button),
      type: button.querySelector("small")?.textContent ?? "",
    }));
    return [{ id: table.dataset["table"] ?? "", title: nameIn(table), columns }];
  });
}

const nameIn = (button: HTMLElement): string => button.querySelector("bdi")?.textContent ?? "";
