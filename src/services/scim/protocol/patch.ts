/** PATCH of RFC 7644, section 3.5.2, on a resource as JSON. */
import {
  attributesOf,
  findAttribute,
  isObject,
  textAt,
  valueOf,
  withoutUrn,
  type Attribute,
  type Json,
  type Resource,
  type ScimSchema,
} from "./attributes.ts";
import { scimError } from "./errors.ts";
import { type Filter, matches, parseFilter } from "./filter.ts";
import { readValue, requireAttributes } from "./input.ts";
import { isExactly } from "./lists.ts";
import { EXTENSION_PREFIX, PATCH_URN } from "./urns.ts";

type Operator = "add" | "replace" | "remove";

export interface Operation {
  readonly op: Operator;
  readonly path: string | null;
  readonly value: Json | undefined;
}

/** The place that an operation changes. */
interface Target {
  readonly attribute: Attribute;
  /** Selects elements of a list. */
  readonly filter: Filter | null;
  readonly sub: Attribute | null;
}

type Draft = Record<string, Json>;

const MAX_OPERATIONS = 1000;

/**
 * Returns the resource with the operations applied.
 * @throws AppError `invalid`
 */
export function patchResource(schema: ScimSchema, resource: Resource, operations: readonly Operation[]): Resource {
  const draft: Draft = structuredClone(resource);
  for (const operation of operations) apply(schema, draft, operation);
  requireAttributes(schema, draft);
  return draft;
}

/**
 * Reads the operations of a body; their paths and values depend on the resource.
 * @throws AppError `invalid`
 */
export function readOperations(body: unknown): Operation[] {
  if (!isObject(body) || !isExactly(body["schemas"], PATCH_URN))
    throw scimError("invalidSyntax", `schemas must be ["${PATCH_URN}"]`);
  const operations = valueOf(body, "Operations");
  if (!Array.isArray(operations) || operations.length === 0)
    throw scimError("invalidValue", "Operations must be a list with at least one operation");
  if (operations.length > MAX_OPERATIONS)
    throw scimError("invalidValue", `Operations must have at most ${MAX_OPERATIONS} operations`);
  return operations.map((operation: Json): Operation => {
    if (!isObject(operation)) throw scimError("invalidSyntax", "An operation must be an object");
    const op = textAt(operation, "op").toLowerCase();
    if (op !== "add" && op !== "replace" && op !== "remove")
      throw scimError("invalidSyntax", "op must be add, replace or remove");
    const path = valueOf(operation, "path") ?? null;
    if (path !== null && typeof path !== "string") throw scimError("invalidPath", "path must be a text");
    return { op, path: path === null || path.trim() === "" ? null : path.trim(), value: valueOf(operation, "value") };
  });
}

function apply(schema: ScimSchema, draft: Draft, { op, path, value }: Operation): void {
  if (path !== null) {
    if (path.startsWith(EXTENSION_PREFIX)) return;
    const target = targetOf(schema, path);
    requireWritable(target);
    return applyAt(draft, target, { op, value });
  }
  if (op === "remove") throw scimError("noTarget", "remove needs a path");
  if (!isObject(value)) throw scimError("invalidValue", "Without a path, the value must be an object");
  for (const [name, part] of Object.entries(value)) {
    if (name.startsWith(EXTENSION_PREFIX)) continue;
    // Some clients send these along.
    if (["schemas", "id", "meta"].includes(name.toLowerCase())) continue;
    const target = knownTargetOf(schema, name);
    if (!target) continue;
    requireWritable(target);
    applyAt(draft, target, { op, value: part });
  }
}

/** @throws AppError `invalid` with the keyword invalidPath or invalidFilter */
function targetOf(schema: ScimSchema, path: string): Target {
  const target = knownTargetOf(schema, path);
  if (!target) throw scimError("invalidPath", `${JSON.stringify(path)} is not an attribute`);
  return target;
}

function knownTargetOf(schema: ScimSchema, path: string): Target | null {
  const { name, condition, sub } = partsOf(withoutUrn(path));
  const attribute = findAttribute(attributesOf(schema), name);
  if (!attribute || (condition !== null && !(attribute.multiValued && attribute.subAttributes))) return null;
  const subAttribute = sub === null ? null : findAttribute(attribute.subAttributes ?? [], sub);
  if (sub !== null && !subAttribute) return null;
  return { attribute, filter: condition === null ? null : parseFilter(condition), sub: subAttribute };
}

/** Splits `emails[type eq "work"].value`. */
function partsOf(path: string): { name: string; condition: string | null; sub: string | null } {
  const open = path.indexOf("[");
  if (open < 0) {
    const dot = path.indexOf(".");
    if (dot < 0) return { name: path, condition: null, sub: null };
    return { name: path.slice(0, dot), condition: null, sub: path.slice(dot + 1) };
  }
  const close = path.lastIndexOf("]");
  const rest = path.slice(close + 1);
  if (close < open || (rest !== "" && !rest.startsWith("."))) return { name: path, condition: null, sub: null };
  return { name: path.slice(0, open), condition: path.slice(open + 1, close), sub: rest === "" ? null : rest.slice(1) };
}

function requireWritable({ attribute, sub }: Target): void {
  for (const one of [attribute, sub]) {
    if (one?.mutability === "readOnly" || one?.mutability === "immutable")
      throw scimError("mutability", `${one.name} cannot be changed`);
  }
}

interface Change {
  readonly op: Operator;
  readonly value: Json | undefined;
}

function applyAt(draft: Draft, target: Target, { op, value }: Change): void {
  const { attribute, filter, sub } = target;
  if (op === "remove") return remove(draft, target, value);
  if (value === undefined) throw scimError("invalidValue", `${op} needs a value`);
  if (value === null) return remove(draft, target, undefined);
  if (filter) return changeElements(draft, target, { op, value });
  if (sub) {
    if (attribute.multiValued) return changeElements(draft, target, { op, value });
    const before = draft[attribute.name];
    draft[attribute.name] = { ...(isObject(before) ? before : {}), [sub.name]: readValue(sub, value) };
    return;
  }
  if (attribute.multiValued) {
    const given = readValue(attribute, Array.isArray(value) ? value : [value]) as readonly Json[];
    const before = listAt(draft, attribute);
    draft[attribute.name] = withOnePrimary(op === "add" ? union(before, given) : union([], given), given);
    return;
  }
  const read = readValue(attribute, value);
  const before = draft[attribute.name];
  draft[attribute.name] = isObject(read) && isObject(before) ? { ...before, ...read } : read;
}

/** Changes the elements that the filter selects. */
function changeElements(
  draft: Draft,
  { attribute, filter, sub }: Target,
  { op, value }: { op: Operator; value: Json },
): void {
  const before = listAt(draft, attribute);
  const element = { ...attribute, multiValued: false };
  const change = sub ? { [sub.name]: readValue(sub, value) } : (readValue(element, value) as Resource);
  const isSelected = (one: Json): boolean => isObject(one) && (!filter || matches(one, filter));
  if (before.some(isSelected)) {
    draft[attribute.name] = before.map((one) =>
      isSelected(one) && isObject(one) ? (sub || op === "add" ? { ...one, ...change } : change) : one,
    );
    return;
  }
  // Some clients create an element in this way: the filter has its other attributes.
  const demanded = filter ? demandedBy(filter) : {};
  if (!demanded) throw scimError("noTarget", `No element of ${attribute.name} matches the filter`);
  draft[attribute.name] = [...before, readValue(element, { ...demanded, ...change })];
}

/** Returns the attributes of an element that matches a filter of equalities; null for other filters. */
function demandedBy(filter: Filter): Resource | null {
  if (filter.kind === "compare" && filter.by === "eq" && filter.path.length === 1)
    return { [filter.path[0] ?? ""]: filter.value };
  if (filter.kind !== "and") return null;
  const parts = filter.filters.map(demandedBy);
  return parts.includes(null) ? null : Object.fromEntries(parts.flatMap((part) => Object.entries(part ?? {})));
}

function remove(draft: Draft, { attribute, filter, sub }: Target, value: Json | undefined): void {
  const before = draft[attribute.name];
  if (before === undefined) {
    if (attribute.required && !sub) throw scimError("invalidValue", `${attribute.name} is required`);
    return;
  }
  if (!attribute.multiValued) {
    if (sub && isObject(before)) draft[attribute.name] = omit(before, sub.name);
    else if (attribute.required) throw scimError("invalidValue", `${attribute.name} is required`);
    else delete draft[attribute.name];
    return;
  }
  const elements = listAt(draft, attribute);
  const isSelected = selectorOf(filter, value);
  draft[attribute.name] = sub
    ? elements.map((one) => (isObject(one) && isSelected(one) ? omit(one, sub.name) : one))
    : elements.filter((one) => !isSelected(one));
}

/** Some clients name the elements to remove in the value. */
function selectorOf(filter: Filter | null, value: Json | undefined): (element: Json) => boolean {
  if (filter) return (one) => isObject(one) && matches(one, filter);
  if (value === undefined || value === null) return () => true;
  const named = (Array.isArray(value) ? value : [value]).map((one: Json) =>
    isObject(one) ? valueOf(one, "value") : one,
  );
  return (one) => named.includes(isObject(one) ? (valueOf(one, "value") ?? null) : one);
}

const listAt = (draft: Draft, { name }: Attribute): readonly Json[] => {
  const value = draft[name];
  return Array.isArray(value) ? (value as readonly Json[]) : [];
};

const omit = (object: Resource, name: string): Resource =>
  Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));

/** Appends elements that are not in the list yet. */
function union(before: readonly Json[], given: readonly Json[]): readonly Json[] {
  const seen = new Set(before.map(keyOf));
  const added = given.filter((one) => {
    const key = keyOf(one);
    return !seen.has(key) && seen.add(key);
  });
  return [...before, ...added];
}

/** Elements with the same value, such as members, are the same. */
function keyOf(element: Json): string {
  if (!isObject(element)) return JSON.stringify(element);
  return JSON.stringify([element["type"] ?? null, element["value"] ?? element]);
}

/** A new primary element replaces the former one. */
function withOnePrimary(elements: readonly Json[], given: readonly Json[]): readonly Json[] {
  const primary = given.findLast((one) => isObject(one) && one["primary"] === true);
  if (primary === undefined) return elements;
  const isPrimary = (one: Json) => isObject(one) && one["primary"] === true;
  const key = keyOf(primary);
  return elements.map((one) =>
    isPrimary(one) && keyOf(one) !== key && isObject(one) ? { ...one, primary: false } : one,
  );
}
