import type { DocumentGrant } from "../../authorization.ts";
import {
  type ActionSource,
  type ApplyOptions,
  applyUserActions,
  type AppliedActions,
} from "../../doc/actions/apply-user-actions.ts";
import type { OpenDocument } from "../../doc/document.ts";
import { userInfo } from "../../doc/user-info.ts";

/** The answer of a verb that writes: JSON as bytes, ready to send. */
export interface JsonResult {
  readonly bytes: Uint8Array;
}

const encoder = new TextEncoder();

export const jsonResult = (value: unknown): JsonResult => ({ bytes: encoder.encode(JSON.stringify(value)) });

/** Applies user actions to a document on behalf of the caller, all or nothing. */
export function applyAsCaller(
  document: OpenDocument,
  grant: DocumentGrant,
  actions: ActionSource,
  {
    noparse,
    rules,
    note,
    isJob = false,
    restores = false,
    keepsTexts = false,
    storesRecords = false,
    emptyColumns,
    checkCancelled,
  }: { noparse: boolean } & Pick<
    ApplyOptions,
    "rules" | "note" | "isJob" | "restores" | "keepsTexts" | "storesRecords" | "emptyColumns" | "checkCancelled"
  >,
): AppliedActions {
  const user = userInfo(grant);
  const options = { parse: !noparse, user, nowMs: document.clock.now(), isJob, restores, keepsTexts, storesRecords };
  return applyUserActions(document, actions, {
    ...options,
    ...(rules && { rules }),
    ...(note && { note }),
    ...(emptyColumns && { emptyColumns }),
    ...(checkCancelled && { checkCancelled }),
  });
}
