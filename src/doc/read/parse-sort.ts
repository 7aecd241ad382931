import { frozenError } from "../../errors.ts";
import { FROZEN } from "../../errors/frozen-messages.ts";
import { type Period, PERIODS } from "../aggregate/date-period.ts";
import type { ReadField, ReadTable } from "./read-table.ts";

export interface SortOptions {
  /** Compare numbers inside texts by value. */
  readonly naturalSort: boolean;
  /** False, null and empty texts after all other values. */
  readonly emptyLast: boolean;
  /** Empty cells last, also in descending order: null, empty texts, empty references. */
  readonly blanksLast: boolean;
  /** Choices in the order of the column's choice list. */
  readonly orderByChoice: boolean;
  /**
   * As groups: all empty cells are equal, empty lists included, and come last in both directions; texts that the
   * collation cannot distinguish are different.
   */
  readonly grouped: boolean;
  /** Compares dates by their period; null by their value. */
  readonly period: SortPeriod | null;
}

/** A period of dates; those with a time are taken in the zone. */
export interface SortPeriod {
  readonly unit: Period;
  /** An IANA time zone. */
  readonly timezone: string;
}

export interface SortKey {
  /** Null for the row's id. */
  readonly field: ReadField | null;
  readonly descending: boolean;
  readonly options: SortOptions;
}

/** Splits the sort of a query at commas; undefined means none. */
export const splitSort = (text: string | undefined): string[] => (text ? text.split(",") : []);

/**
 * Parses the elements of a sort: `Name`, `-Age`, `Name:naturalSort;emptyLast`, with column refs as alternatives to ids.
 * Unknown options and other text after the name are ignored.
 * @param timezone the document's, in which periods of dates with a time are taken
 * @throws AppError `invalid` for an unknown column or an element without one
 */
export function parseSort(table: ReadTable, elements: readonly string[], timezone = "UTC"): SortKey[] {
  return elements.map((element) => {
    const parts = /^(-?)(\w+)(?::(.*))?/s.exec(element);
    const [, sign, name = "", options = ""] = parts ?? [];
    const optionNames = new Set(options.split(";"));
    const unit = PERIODS.find((period) => optionNames.has(period));
    return {
      field: findField(table, name, element),
      descending: sign === "-",
      options: {
        naturalSort: optionNames.has("naturalSort"),
        emptyLast: optionNames.has("emptyLast"),
        blanksLast: optionNames.has("blanksLast"),
        orderByChoice: optionNames.has("orderByChoice"),
        grouped: optionNames.has("group") || unit !== undefined,
        period: unit === undefined ? null : { unit, timezone },
      },
    };
  });
}

export const NO_OPTIONS: SortOptions = {
  naturalSort: false,
  emptyLast: false,
  blanksLast: false,
  orderByChoice: false,
  grouped: false,
  period: null,
};

/** Returns the order for an empty sort in a request body: by manual position, where the table has one. */
export function sortByPosition(table: ReadTable): SortKey[] {
  return table.fieldById.has("manualSort") ? parseSort(table, ["manualSort"]) : [];
}

function findField(table: ReadTable, name: string, element: string): ReadField | null {
  if (name === "id") return null;
  const field = table.fieldById.get(name) ?? (/^\d+$/.test(name) ? table.fieldByRef.get(Number(name)) : undefined);
  if (!field) throw frozenError(FROZEN.invalidColumn, name || element);
  return field;
}
