import { frozenError } from "../../errors.ts";
import { FROZEN } from "../../errors/frozen-messages.ts";
import type { ReadField, ReadTable } from "./read-table.ts";

export interface SortOptions {
  /** Numbers inside texts by their value. */
  readonly naturalSort: boolean;
  /** False, null and empty texts after everything else. */
  readonly emptyLast: boolean;
  /** Empty cells after all others, in descending order as well: null, empty texts, references to no row. */
  readonly blanksLast: boolean;
  /** Choices in the order in which the column lists them. */
  readonly orderByChoice: boolean;
}

export interface SortKey {
  /** Null for the row's id. */
  readonly field: ReadField | null;
  readonly descending: boolean;
  readonly options: SortOptions;
}

/** The sort of a query: elements separated by commas; nothing means none. */
export const splitSort = (text: string | undefined): string[] => (text ? text.split(",") : []);

/**
 * Reads the elements of a sort: `Name`, `-Age`, `Name:naturalSort;emptyLast`, and the number of a column for its id.
 * Whatever follows the name other than options is passed over, as are unknown options.
 * @throws AppError `invalid` for an unknown column and for what names none.
 */
export function parseSort(table: ReadTable, elements: readonly string[]): SortKey[] {
  return elements.map((element) => {
    const parts = /^(-?)(\w+)(?::(.*))?/s.exec(element);
    const [, sign, name = "", options = ""] = parts ?? [];
    const optionNames = new Set(options.split(";"));
    return {
      field: findField(table, name, element),
      descending: sign === "-",
      options: {
        naturalSort: optionNames.has("naturalSort"),
        emptyLast: optionNames.has("emptyLast"),
        blanksLast: optionNames.has("blanksLast"),
        orderByChoice: optionNames.has("orderByChoice"),
      },
    };
  });
}

/** What an empty list in a body asks for: the order people see, as far as the table has one. */
export function sortByPosition(table: ReadTable): SortKey[] {
  return table.fieldById.has("manualSort") ? parseSort(table, ["manualSort"]) : [];
}

function findField(table: ReadTable, name: string, element: string): ReadField | null {
  if (name === "id") return null;
  const field = table.fieldById.get(name) ?? (/^\d+$/.test(name) ? table.fieldByRef.get(Number(name)) : undefined);
  if (!field) throw frozenError(FROZEN.invalidColumn, name || element);
  return field;
}
