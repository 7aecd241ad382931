/**
 * Views of sections that differ from the saved ones, as parameters: in the address of the page with the section's number
 * (`filter.12=`), and in personal views.
 */
import { omitUndefined } from "../../../lib/omit-undefined.ts";
import {
  orderColumns,
  parametersOf,
  parseViewState,
  renameColumns,
  retainColumns,
  VIEW_PARAMETERS,
  type ViewParameter,
  type ViewState,
} from "../view-state.ts";
import type { SavedView } from "./save-section.ts";
import type { SectionColumns } from "./section-view.ts";
import { type FilterContext, splitFilter } from "./storable-filter.ts";
import { storedFilterKey } from "./stored-filter.ts";

/** Columns whose filters stay without a value. */
const PINNED = "pin";
export const SECTION_PARAMETERS = [...VIEW_PARAMETERS, PINNED] as const;
type SectionParameter = (typeof SECTION_PARAMETERS)[number];

/** An empty parameter is the default, from which the saved view differs. */
export type SectionParameters = Readonly<Partial<Record<SectionParameter, string | undefined>>>;

const PARTS: Readonly<Record<ViewParameter, keyof ViewState>> = {
  filter: "filter",
  sort: "sort",
  group: "groups",
  find: "find",
  totals: "totals",
  hide: "hidden",
  order: "order",
  width: "widths",
  freeze: "frozen",
  lines: "lines",
};

/** Returns the parameters in which a view differs from a saved one. */
export function differences(view: SavedView, saved: SavedView, context: FilterContext): SectionParameters {
  const [now, before] = [comparable(view, context), comparable(saved, context)];
  const parameters = { ...parametersOf(view.state), [PINNED]: view.pinned.join(",") };
  const widths = Object.entries(view.state.widths).filter(
    ([id, width]) => saved.state.widths[id] !== width && !view.state.hidden.includes(id),
  );
  const changed = SECTION_PARAMETERS.filter((name) => name !== "width" && now[name] !== before[name]);
  return {
    ...Object.fromEntries(changed.map((name) => [name, parameters[name]])),
    ...(widths.length > 0 && { width: widths.map(([id, width]) => `${id}:${width}`).join(",") }),
  };
}

/** Texts that are equal for parts that show the same. */
function comparable({ state, pinned }: SavedView, context: FilterContext): Record<SectionParameter, string> {
  const { stored, rest } = splitFilter(state.filter, context);
  const filters = [...stored].map(([id, filter]) => `${id}=${storedFilterKey(filter)}`).toSorted();
  return {
    ...parametersOf(state),
    filter: JSON.stringify([filters, rest]),
    hide: state.hidden.toSorted().join(),
    order: orderColumns(context.columns, state.order)
      .map(({ id }) => id)
      .join(),
    pin: pinned.toSorted().join(),
  };
}

/**
 * Returns a saved view with parameters in place of its own.
 * @param idOf ids of columns by the names in the parameters, which are their ids by default
 */
export function withParameters(
  saved: SavedView,
  parameters: SectionParameters,
  { columns, idOf = new Map() }: Pick<FilterContext, "columns"> & { idOf?: ReadonlyMap<string, string> },
): SavedView {
  const exists = new Set(columns.map(({ id }) => id));
  const parsed = retainColumns(renameColumns(parseViewState(queryOf(parameters)), idOf), exists);
  const parts = VIEW_PARAMETERS.filter((name) => parameters[name] !== undefined).map((name) => PARTS[name]);
  const pinned = parameters.pin?.split(",").map((name) => idOf.get(name) ?? name);
  return {
    state: {
      ...saved.state,
      ...Object.fromEntries(parts.map((part) => [part, parsed[part]])),
      widths: { ...saved.state.widths, ...parsed.widths },
    },
    pinned: pinned ? pinned.filter((id) => exists.has(id)) : saved.pinned,
  };
}

/** Returns a section's view as its reader has it, whose parameters name columns by their row ids. */
export function ownView(
  saved: SavedView,
  own: SectionParameters | null | undefined,
  columns: SectionColumns,
): SavedView {
  if (!own) return saved;
  const idOf = new Map(columns.map(({ id, fields }) => [String(fields.colRef), id]));
  return withParameters(saved, own, { columns, idOf });
}

/** Returns parameters with other names of their columns. */
export function renameParameters(parameters: SectionParameters, names: ReadonlyMap<string, string>): SectionParameters {
  const renamed = parametersOf(renameColumns(parseViewState(queryOf(parameters)), names));
  const pin = parameters.pin?.split(",").map((id) => names.get(id) ?? id);
  const kept = VIEW_PARAMETERS.filter((name) => parameters[name] !== undefined);
  return { ...Object.fromEntries(kept.map((name) => [name, renamed[name]])), ...(pin && { pin: pin.join(",") }) };
}

const queryOf = (parameters: SectionParameters): URLSearchParams => new URLSearchParams(omitUndefined(parameters));

/** Returns the parameters of a section in an address. */
export function sectionParameters(query: URLSearchParams, section: number): SectionParameters {
  const found = SECTION_PARAMETERS.flatMap((name): [string, string][] => {
    const value = query.get(`${name}.${section}`);
    return value === null ? [] : [[name, value]];
  });
  return Object.fromEntries(found);
}

/** Returns an address with the parameters of a section in place of its former ones; others stay. */
export function withSectionParameters(
  query: URLSearchParams,
  section: number,
  parameters: SectionParameters,
): URLSearchParams {
  const result = new URLSearchParams(query);
  for (const name of SECTION_PARAMETERS) {
    const value = parameters[name];
    if (value === undefined) result.delete(`${name}.${section}`);
    else result.set(`${name}.${section}`, value);
  }
  return result;
}
