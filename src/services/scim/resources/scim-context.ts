import type { UserGrant } from "../../../authorization.ts";
import type { DocumentIds } from "../../../wire/documents/documents.ts";
import type { Context } from "../../context.ts";
import type { Resource } from "../protocol/attributes.ts";
import { plainError, scimError } from "../protocol/errors.ts";
import type { ListQuery, Selection } from "../protocol/lists.ts";
import type { Schemas } from "../protocol/schemas.ts";

/** Proof that the caller may provision users; created by `guardProvisioning`. */
export interface ScimContext {
  readonly ctx: Context;
  readonly grant: UserGrant;
  readonly schemas: Schemas;
  readonly docIds: DocumentIds;
}

/** The operations of a kind of resources. Missing ones are not supported. */
export interface ResourceOperations {
  list(scim: ScimContext, query: ListQuery): Resource;
  get(scim: ScimContext, id: number, selection: Selection): Resource;
  create?(scim: ScimContext, body: unknown): Resource;
  replace(scim: ScimContext, id: number, body: unknown): Resource;
  /** Returns null if nothing changed. */
  patch(scim: ScimContext, id: number, body: unknown): Resource | null;
  remove?(scim: ScimContext, id: number): Promise<void> | void;
}

/** Returns the number of an id, which is read by its leading digits. @throws AppError `invalid` */
export function parseId(text: string): number {
  const digits = /^\d{1,15}/.exec(text)?.[0];
  if (digits === undefined) throw scimError("invalidValue", "The id must be a number");
  return Number(digits);
}

export const notFoundError = (kind: string, id: number | string) =>
  plainError("notFound", `${kind} ${id} does not exist`);

/** @throws AppError `invalid` with the keyword invalidValue */
export function limitLength(name: string, text: string, max: number): string {
  if (text.length > max) throw scimError("invalidValue", `${name} must have at most ${max} characters`);
  return text;
}

export const MAX_NAME_LENGTH = 1000;
