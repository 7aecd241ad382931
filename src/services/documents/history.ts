import { allows, type DocumentGrant } from "../../authorization.ts";
import { forbidden, invalid } from "../../errors.ts";
import type { VerbArgs, VerbResult } from "../../hosts/verbs/verbs.ts";
import type { StateDetails } from "../../hosts/documents.ts";
import { isoTime } from "../../lib/time/clock.ts";
import type { Changes, History, Retention } from "../../wire/documents/history.ts";
import { recordAuditSoon } from "../audit/record-audit.ts";
import type { Context } from "../context.ts";
import { changeAuthor, changeKeysFor } from "./change-authors.ts";

export interface DescribeHistoryOptions {
  /** Excludes this state and all newer ones. */
  readonly before: number | null;
  readonly limit: number;
  /** Only states that changed the table with this id at `before`. */
  readonly table?: string | undefined;
  /** Only states that changed this row of the table. */
  readonly row?: number | undefined;
  /** Only states of the user with this id. */
  readonly user?: number | undefined;
}

/**
 * Returns the states of a document with their details.
 * @throws AppError `invalid` for a row without a table, `forbidden` for a user when the caller does not see the users of changes
 */
export async function describeHistory(
  ctx: Context,
  grant: DocumentGrant,
  { before, limit, table, row, user }: DescribeHistoryOptions,
): Promise<History> {
  if (row !== undefined && table === undefined) throw invalid("row requires table");
  const seesUsers = allows(grant.role, "editors") && grant.actor.kind !== "endUser";
  if (user !== undefined && !seesUsers) throw forbidden("Only owners and editors can select changes of a user");
  // No address is empty: without an account, there are no changes.
  const email = user === undefined ? undefined : (ctx.home.users.byId(user)?.email ?? "");
  const page = await ctx.documents.call(grant, "states.describe", { before, limit, table, row, email });
  const keyOf = changeKeysFor(ctx, grant);
  const toHistoryState = ({ time, user, keyId, ...state }: StateDetails): History["states"][number] => ({
    ...state,
    time: time === null ? null : isoTime(time),
    user: changeAuthor(ctx, grant, user),
    key: keyOf(keyId),
    tables: state.tables.map((table) => ({
      ...table,
      columns: {
        added: [...table.columns.added],
        removed: [...table.columns.removed],
        renamed: table.columns.renamed.map(([from, to]): [string, string] => [from, to]),
        modified: [...table.columns.modified],
        changes: [...table.columns.changes],
      },
    })),
  });
  return { states: page.states.map(toHistoryState), before: page.before, table: page.table };
}

/**
 * Returns the changes that led to a state.
 * @param h its hash
 * @param maxRows maximum number of rows with cells per action
 * @throws AppError `invalid` if there are too many changes, or the previous state is no longer available
 */
export const changesToState = (
  ctx: Context,
  grant: DocumentGrant,
  { h, maxRows }: { h: string; maxRows: number },
): Promise<Changes> => changesBetween(ctx, grant, { left: `${h}~1`, right: h, maxRows });

/**
 * Returns the changes between two states, each `HEAD` or a hash. Otherwise like `changesToState`.
 */
export async function changesBetween(
  { documents }: Context,
  grant: DocumentGrant,
  range: { left: string; right: string; maxRows: number },
): Promise<Changes> {
  const { bytes } = await documents.call(grant, "history.changes", range);
  return JSON.parse(decoder.decode(bytes)) as Changes;
}

const decoder = new TextDecoder();

/** Deletes old states of a document. */
export async function removeStates(
  ctx: Context,
  grant: DocumentGrant,
  args: VerbArgs<"states.remove">,
): Promise<VerbResult<"states.remove">> {
  const removed = await ctx.documents.call(grant, "states.remove", args);
  const { actor, documentId } = grant;
  recordAuditSoon(ctx, { event: "document.history_truncated", actor, documentId });
  return removed;
}

/** Returns how many states the document keeps. */
export const readRetention = (ctx: Context, grant: DocumentGrant): Promise<Retention> =>
  ctx.documents.call(grant, "states.retention", null);

/**
 * Sets how many states the document keeps; null for as many as the server keeps.
 * @throws AppError `invalid` for more than the server keeps
 */
export async function setRetention(ctx: Context, grant: DocumentGrant, states: number | null): Promise<Retention> {
  const set = await ctx.documents.call(grant, "states.keep", { states });
  const { actor, documentId } = grant;
  recordAuditSoon(ctx, { event: "document.history_retention_changed", actor, documentId, details: { states } });
  return set;
}

export interface CompareDocumentsOptions {
  /** Includes the changes of each document since their common state. */
  readonly detail: boolean;
  /** Maximum number of rows with cells per change. */
  readonly maxRows: number | undefined;
}

/**
 * Returns how the histories of two documents relate, as JSON. Each document reports its own part, so both can change
 * concurrently; the result is about the states that they reported.
 * @throws AppError `invalid` if there are too many changes
 */
export async function compareDocuments(
  { documents }: Context,
  grants: { left: DocumentGrant; right: DocumentGrant },
  { detail, maxRows }: CompareDocumentsOptions,
): Promise<Uint8Array> {
  const otherStates = await documents.call(grants.right, "history.states", {});
  const relation = await documents.call(grants.left, "history.relate", { otherStates });
  const { parent } = relation;
  const head = JSON.stringify(relation);
  if (!parent || !detail) return Buffer.from(head);
  const changes = async (side: "left" | "right") => {
    const args = { left: parent.h, right: relation[side].h, maxRows };
    return (await documents.call(grants[side], "history.changes", args)).bytes;
  };
  return Buffer.concat([
    Buffer.from(`${head.slice(0, -1)},"details":{"leftChanges":`),
    await changes("left"),
    Buffer.from(`,"rightChanges":`),
    await changes("right"),
    Buffer.from("}}"),
  ]);
}
