/** Lists of resources: filter, sort, page and selection of attributes. */
import { attributesOf, findAttribute, isObject, resolvePath, valueOf, valuesAt, withoutUrn } from "./attributes.ts";
import type { Json, Resource, ScimSchema } from "./attributes.ts";
import { scimError } from "./errors.ts";
import { checkFilter, type Filter, parseFilter } from "./filter.ts";
import { LIST_URN, SEARCH_URN } from "./urns.ts";

export interface Selection {
  readonly attributes: readonly string[];
  readonly excludedAttributes: readonly string[];
}

export interface ListQuery extends Selection {
  readonly filter: Filter | null;
  readonly sortBy: string | null;
  readonly isDescending: boolean;
  /** From 1. */
  readonly startIndex: number;
  readonly count: number;
}

const DEFAULT_COUNT = 20;
/** Larger pages are cut to this number of resources. */
const MAX_COUNT = 1000;
const MAX_NAMES = 200;

/** Reads the query of a list; a parameter that is given twice counts once. */
export function listQueryOf(search: string): ListQuery {
  const params = new URLSearchParams(search);
  const filter = params.get("filter");
  const count = integerOf(params.get("count"));
  return {
    ...selectionOf(search),
    filter: filter === null ? null : parseFilter(filter),
    sortBy: params.get("sortBy"),
    isDescending: params.get("sortOrder")?.toLowerCase() === "descending",
    startIndex: Math.max(1, integerOf(params.get("startIndex")) ?? 1),
    count: limitedCount(count ?? DEFAULT_COUNT),
  };
}

export function selectionOf(search: string): Selection {
  const params = new URLSearchParams(search);
  return {
    attributes: namesOf((params.get("attributes") ?? "").split(",")),
    excludedAttributes: namesOf((params.get("excludedAttributes") ?? "").split(",")),
  };
}

/** @throws AppError `invalid` with the keyword invalidSyntax or invalidValue */
export function searchQueryOf(body: unknown): ListQuery {
  if (!isObject(body) || !isExactly(body["schemas"], SEARCH_URN))
    throw scimError("invalidSyntax", `schemas must be ["${SEARCH_URN}"]`);
  const filter = textOf(body, "filter");
  return {
    attributes: listOf(body, "attributes"),
    excludedAttributes: listOf(body, "excludedAttributes"),
    filter: filter === null ? null : parseFilter(filter),
    sortBy: textOf(body, "sortBy"),
    isDescending: textOf(body, "sortOrder")?.toLowerCase() === "descending",
    startIndex: Math.max(1, numberOf(body, "startIndex") ?? 1),
    count: limitedCount(numberOf(body, "count") ?? DEFAULT_COUNT),
  };
}

/** True for the list of exactly this identifier. */
export const isExactly = (schemas: Json | undefined, urn: string): boolean =>
  Array.isArray(schemas) && schemas.length === 1 && schemas[0] === urn;

const limitedCount = (count: number): number => Math.min(MAX_COUNT, Math.max(0, Math.trunc(count)));

const integerOf = (text: string | null): number | null =>
  text !== null && /^[-+]?\d{1,15}$/.test(text.trim()) ? Number(text) : null;

const namesOf = (names: readonly string[]): string[] =>
  names.flatMap((name) => (name.trim() === "" ? [] : [withoutUrn(name.trim())])).slice(0, MAX_NAMES);

function textOf(body: Resource, name: string): string | null {
  const value = valueOf(body, name) ?? null;
  if (value !== null && typeof value !== "string") throw scimError("invalidValue", `${name} must be a text`);
  return value;
}

function numberOf(body: Resource, name: string): number | null {
  const value = valueOf(body, name) ?? null;
  if (value !== null && !Number.isInteger(value)) throw scimError("invalidValue", `${name} must be an integer`);
  return value as number | null;
}

function listOf(body: Resource, name: string): string[] {
  const value = valueOf(body, name) ?? [];
  if (!Array.isArray(value) || !value.every((one) => typeof one === "string"))
    throw scimError("invalidValue", `${name} must be a list of texts`);
  return namesOf(value);
}

export interface ListSource<T> {
  readonly schema: ScimSchema;
  /** All of them, in their natural order. */
  readonly items: readonly T[];
  /** The attributes of an item for filters and sorting. */
  readonly describe: (item: T) => Resource;
  readonly matches: (resource: Resource, filter: Filter) => boolean;
  /** The whole resource, with the attributes that are selected. */
  readonly present: (item: T, selection: Selection) => Resource;
}

/** @throws AppError `invalid` with the keyword invalidFilter */
export function listResources<T>(query: ListQuery, source: ListSource<T>): Resource {
  const { filter, sortBy, startIndex, count } = query;
  if (filter) checkFilter(filter, source.schema);
  const found = filter ? source.items.filter((item) => source.matches(source.describe(item), filter)) : source.items;
  const path = sortBy === null ? null : withoutUrn(sortBy).split(".");
  const isKnown = path !== null && resolvePath(source.schema, path) !== null;
  const sorted = isKnown ? sortedBy(found, (item) => sortKey(source.describe(item), path), query.isDescending) : found;
  const page = sorted.slice(startIndex - 1, startIndex - 1 + count);
  return listResponse(
    page.map((item) => source.present(item, query)),
    { total: found.length, startIndex, count },
  );
}

export const listResponse = (
  resources: readonly Resource[],
  { total = resources.length, startIndex = 1, count = DEFAULT_COUNT } = {},
): Resource => ({
  schemas: [LIST_URN],
  totalResults: total,
  itemsPerPage: count,
  startIndex,
  Resources: resources,
});

type SortKey = string | number;

function sortKey(resource: Resource, path: readonly string[]): SortKey {
  const [value] = valuesAt(resource, path);
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  return typeof value === "string" ? value.toLowerCase() : "";
}

function sortedBy<T>(items: readonly T[], keyOf: (item: T) => SortKey, isDescending: boolean): T[] {
  const direction = isDescending ? -1 : 1;
  return items
    .map((item) => ({ item, key: keyOf(item) }))
    .toSorted((a, b) => direction * compareKeys(a.key, b.key))
    .map(({ item }) => item);
}

function compareKeys(a: SortKey, b: SortKey): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [left, right] = [String(a), String(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Returns true if a selection names an attribute, or a part of it. */
export const isSelected = ({ attributes }: Selection, name: string): boolean =>
  attributes.some((path) => path.split(".")[0]?.toLowerCase() === name.toLowerCase());

/** Returns the selected attributes of a resource; `id` is always returned. */
export function select(
  resource: Resource,
  schema: ScimSchema,
  { attributes, excludedAttributes }: Selection,
): Resource {
  if (attributes.length > 0) {
    const selected: Record<string, Json> = resource["id"] === undefined ? {} : { id: resource["id"] };
    for (const path of attributes) copyPath(resource, selected, path.split("."));
    return selected;
  }
  let rest = resource;
  for (const path of excludedAttributes) {
    const names = path.split(".");
    const isId = names[0]?.toLowerCase() === "id" && findAttribute(attributesOf(schema), "id") !== null;
    if (!isId) rest = withoutPath(rest, names);
  }
  return rest;
}

function copyPath(from: Resource, to: Record<string, Json>, [name = "", sub]: readonly string[]): void {
  const key = Object.keys(from).find((one) => one.toLowerCase() === name.toLowerCase());
  const value = key === undefined ? undefined : from[key];
  if (key === undefined || value === undefined) return;
  if (sub === undefined) to[key] = value;
  else if (Array.isArray(value)) {
    const before = Array.isArray(to[key]) ? to[key] : [];
    to[key] = value.map((one: Json, at) => picked(one, sub, before[at]));
  } else to[key] = picked(value, sub, to[key]);
}

function picked(value: Json, name: string, before: Json | undefined): Json {
  if (!isObject(value)) return value;
  const result: Record<string, Json> = isObject(before) ? { ...before } : {};
  copyPath(value, result, [name]);
  return result;
}

function withoutPath(resource: Resource, [name = "", ...rest]: readonly string[]): Resource {
  const entries = Object.entries(resource).flatMap(([key, value]): [string, Json][] => {
    if (key.toLowerCase() !== name.toLowerCase()) return [[key, value]];
    if (rest.length === 0) return [];
    if (Array.isArray(value)) return [[key, value.map((one: Json) => (isObject(one) ? withoutPath(one, rest) : one))]];
    return [[key, isObject(value) ? withoutPath(value, rest) : value]];
  });
  return Object.fromEntries(entries);
}
