import { findHiddenFilters } from "../../read/visible-metadata.ts";
import { widgetOptions } from "../../widget-options.ts";
import type { Change } from "../change.ts";
import type { InputValues } from "../records/records.ts";

/**
 * Returns the values of an update of sections with the saved conditions that access rules hide from the caller: the caller
 * writes all options, and does not know these. Conditions of the caller's own replace them.
 */
export function keepHiddenFilters(change: Change, ids: readonly number[], values: InputValues): InputValues {
  const written = values.get("options");
  const rules = change.writeAccess && written ? change.document.accessOf(change.options.user) : null;
  if (!rules || rules.readsEverything || !written) return values;
  const stored = findHiddenFilters(change, rules, ids);
  if (stored.size === 0) return values;
  const options = ids.map((id, at) => withFilterOf(stored.get(id), written[at]));
  return new Map([...values, ["options", options]]);
}

function withFilterOf(stored: string | undefined, written: unknown): unknown {
  if (stored === undefined || (typeof written !== "string" && written !== null)) return written;
  const before = objectOf(widgetOptions(stored)["quern"]);
  const options = widgetOptions(written ?? "");
  const quern = objectOf(options["quern"] ?? { v: before["v"], base: before["base"] });
  if (before["filter"] === undefined || quern["filter"] !== undefined) return written;
  return JSON.stringify({ ...options, quern: { ...quern, filter: before["filter"] } });
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
