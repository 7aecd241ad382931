import type { DocumentGrant } from "../../authorization.ts";
import type { UserAction } from "../../doc/actions/apply-user-actions.ts";
import type { OpenDocument } from "../../doc/document.ts";
import type { TableInfo } from "../../doc/schema.ts";
import { columnIds, type EventType, type Hook, hookActions, readHooks } from "../../doc/webhooks/hooks.ts";
import { type HookSettings, NO_SETTINGS, shownFilter, storedFilter } from "../../doc/webhooks/hook-settings.ts";
import { findOutbox, invalidateOutbox, ensureOutbox } from "../../doc/webhooks/outbox.ts";
import type { HookUsage } from "../../doc/webhooks/delivery-stats.ts";
import { AppError, notFound, frozenError } from "../../errors.ts";
import { FROZEN } from "../../errors/frozen-messages.ts";
import { verb } from "./verb.ts";
import { applyAsCaller } from "./apply-actions.ts";

export type { HookUsage } from "../../doc/webhooks/delivery-stats.ts";

/** The part of a webhook stored in the document; URL and secrets are in the home database. */
export interface WebhookDefinition {
  readonly name: string | null;
  readonly memo: string | null;
  readonly enabled: boolean;
  readonly eventTypes: readonly string[];
  readonly tableId: string;
  readonly isReadyColumn: string | null;
  readonly watchedColIds: readonly string[];
  /** These are listed only if they are set. */
  readonly filter?: Record<string, unknown>;
  readonly includeEvent?: true;
  readonly includeOld?: true;
}

export interface WebhookListing {
  readonly id: string;
  readonly fields: WebhookDefinition;
  readonly usage: HookUsage;
}

/** A webhook that was added, and its row in the document. */
export interface AddedWebhook {
  readonly id: string;
  readonly ref: number;
}

/** The properties of a webhook; missing ones are empty, `enabled` defaults to true. */
export interface WebhookInput {
  readonly name?: string | null | undefined;
  readonly memo?: string | null | undefined;
  readonly enabled?: boolean | undefined;
  readonly eventTypes?: readonly EventType[] | undefined;
  /** Table id, or its numeric reference as digits. */
  readonly tableId?: string | undefined;
  /** Null or empty for none. */
  readonly isReadyColumn?: string | null | undefined;
  readonly watchedColIds?: readonly string[] | undefined;
  /** Null or empty for none. */
  readonly filter?: object | null | undefined;
  readonly includeEvent?: boolean | undefined;
  readonly includeOld?: boolean | undefined;
}

interface AddArgs {
  readonly webhooks: readonly { readonly id: string; readonly fields: WebhookInput }[];
}

interface ModifyArgs {
  readonly id: string;
  readonly change: WebhookInput;
}

/** Verbs that manage a document's webhooks. Triggers in the file that were not created on this server are ignored. */
export const webhookVerbs = {
  "webhooks.list": verb({
    needs: "owners",
    reads: "snapshot",
    changes: "none",
    run: (document, _grant, _args: null) => listWebhooks(document),
  }),
  "webhooks.add": verb({ needs: "owners", changes: "metadata", run: addWebhooks }),
  "webhooks.modify": verb({ needs: "owners", changes: "metadata", run: modifyWebhook }),
  /** Requires the unsubscribe key as well, which is checked before. */
  "webhooks.remove": verb({ needs: "editors", changes: "metadata", underRules: "unaffected", run: removeWebhook }),
  "webhooks.clear": verb({ needs: "owners", changes: "none", run: clearQueues }),
};

/** Upper limit: each webhook adds cost to every change of its table. */
const MAX_WEBHOOKS = 200;

/** Returns the webhooks that were created in this document, oldest first. */
export function activeHooks(document: OpenDocument): readonly Hook[] {
  const outbox = findOutbox(document);
  return outbox ? readHooks(document).filter((hook) => outbox.hasHook(hook)) : [];
}

/** @throws AppError `notFound` */
export function findHook(document: OpenDocument, id: string): Hook {
  const hook = activeHooks(document).find((candidate) => candidate.id === id);
  if (!hook) throw notFound("Webhook not found", "webhook.not_found");
  return hook;
}

function listWebhooks(document: OpenDocument): WebhookListing[] {
  const outbox = findOutbox(document);
  return activeHooks(document).flatMap((hook) => {
    const usage = outbox?.usage(hook.ref);
    const settings = outbox?.settingsOf(hook) ?? NO_SETTINGS;
    return usage ? [{ id: hook.id, fields: toDefinition(document, hook, settings), usage }] : [];
  });
}

function toDefinition(
  { schema }: OpenDocument,
  hook: Hook,
  { filter, includeEvent, includeOld }: HookSettings,
): WebhookDefinition {
  const table = schema.tableByRef.get(hook.tableRef);
  return {
    name: hook.name,
    memo: hook.memo,
    enabled: hook.isEnabled,
    eventTypes: hook.eventTypes,
    tableId: table?.id ?? "",
    isReadyColumn: columnIds(table, [hook.readyRef])[0] ?? null,
    watchedColIds: columnIds(table, hook.watchedRefs),
    ...(filter && { filter: shownFilter(schema, filter) }),
    ...(includeEvent && { includeEvent }),
    ...(includeOld && { includeOld }),
  };
}

/**
 * Adds webhooks, all or nothing. @throws AppError `notFound` for an unknown table or column,
 * `limit.exceeded` when there would be too many
 */
function addWebhooks(document: OpenDocument, grant: DocumentGrant, { webhooks }: AddArgs): AddedWebhook[] {
  if (webhooks.length === 0) return [];
  if (activeHooks(document).length + webhooks.length > MAX_WEBHOOKS) {
    throw new AppError("limit.exceeded", `A document can have ${MAX_WEBHOOKS} webhooks`);
  }
  const actions = webhooks.map(({ id, fields }): UserAction => {
    const table = findTable(document, fields.tableId ?? "");
    const { name = "", memo = "", enabled = true, eventTypes = [], isReadyColumn, watchedColIds = [] } = fields;
    const values = {
      tableRef: table.ref,
      eventTypes: ["L", ...eventTypes],
      isReadyColRef: isReadyColumn ? findColumn(table, isReadyColumn) : 0,
      watchedColRefList: watchedRefs(table, watchedColIds),
      actions: hookActions(id),
      label: name,
      memo,
      enabled,
    };
    return ["AddRecord", "_grist_Triggers", null, values];
  });
  const settings = webhooks.map(({ fields }) =>
    changedSettings(document, findTable(document, fields.tableId ?? ""), { settings: NO_SETTINGS, change: fields }),
  );
  let refs: number[] = [];
  inTransaction(document, () => {
    const { retValues } = applyAsCaller(document, grant, actions, { noparse: true, rules: "skip" });
    const outbox = ensureOutbox(document);
    refs = retValues.map(Number);
    for (const [at, { id }] of webhooks.entries()) {
      outbox.add(refs[at] ?? 0, id);
      const own = settings[at];
      if (own && !sameSettings(own, NO_SETTINGS)) outbox.changeSettings(refs[at] ?? 0, own);
    }
    // A `_quern_` table may have been created.
    document.invalidateSchema();
  });
  return webhooks.map(({ id }, at) => ({ id, ref: refs[at] ?? 0 }));
}

/**
 * Disabling a webhook clears its queue. Changing the table resets ready and watched columns, unless the ready column is
 * named again.
 */
function modifyWebhook(document: OpenDocument, grant: DocumentGrant, { id, change }: ModifyArgs): null {
  const hook = findHook(document, id);
  const { name, memo, enabled, eventTypes, tableId, isReadyColumn, watchedColIds } = change;
  const table = tableId === undefined ? document.schema.tableByRef.get(hook.tableRef) : findTable(document, tableId);
  const values: Record<string, unknown> = {};
  if (name !== undefined) values["label"] = name;
  if (memo !== undefined) values["memo"] = memo;
  if (enabled !== undefined) values["enabled"] = enabled;
  if (eventTypes) values["eventTypes"] = ["L", ...eventTypes];
  if (isReadyColumn !== undefined) values["isReadyColRef"] = isReadyColumn ? findColumn(table, isReadyColumn) : 0;
  if (watchedColIds) values["watchedColRefList"] = watchedRefs(table, watchedColIds);
  if (table && tableId !== undefined) {
    values["tableRef"] = table.ref;
    values["isReadyColRef"] ??= 0;
    if (!watchedColIds || table.ref !== hook.tableRef) values["watchedColRefList"] = null;
  }
  const known = findOutbox(document)?.settingsOf(hook) ?? NO_SETTINGS;
  // A filter of another table does not fit.
  const former = table?.ref === hook.tableRef ? known : { ...known, filter: null };
  const settings = table ? changedSettings(document, table, { settings: former, change }) : null;
  const isOther = settings !== null && !sameSettings(settings, known);
  if (Object.keys(values).length === 0 && !isOther) return null;
  return inTransaction(document, () => {
    const action: UserAction = ["UpdateRecord", "_grist_Triggers", hook.ref, values];
    if (Object.keys(values).length > 0) applyAsCaller(document, grant, [action], { noparse: true, rules: "skip" });
    const outbox = ensureOutbox(document);
    if (enabled === false) outbox.clear(hook.ref);
    if (!isOther) return;
    outbox.changeSettings(hook.ref, settings);
    // A `_quern_` table may have been created.
    document.invalidateSchema();
  });
}

const sameSettings = (a: HookSettings, b: HookSettings): boolean => JSON.stringify(a) === JSON.stringify(b);

/** @throws AppError `invalid` for a filter that does not fit the table */
function changedSettings(
  document: OpenDocument,
  table: TableInfo,
  { settings, change }: { settings: HookSettings; change: WebhookInput },
): HookSettings {
  const { filter, includeEvent, includeOld } = change;
  return {
    filter: filter === undefined ? settings.filter : storedFilter(document, table, filter),
    includeEvent: includeEvent ?? settings.includeEvent,
    includeOld: includeOld ?? settings.includeOld,
  };
}

/** @throws AppError `notFound` */
function removeWebhook(document: OpenDocument, grant: DocumentGrant, { id }: { readonly id: string }): null {
  const { ref } = findHook(document, id);
  return inTransaction(document, () => {
    applyAsCaller(document, grant, [["RemoveRecord", "_grist_Triggers", ref]], { noparse: true, rules: "skip" });
    ensureOutbox(document).remove(ref);
  });
}

/** Clears the queue of one webhook or of all, and resets the statistics of all. */
function clearQueues(document: OpenDocument, _grant: DocumentGrant, { id }: { readonly id: string | null }): null {
  const outbox = findOutbox(document);
  if (!outbox) return null;
  return inTransaction(document, () => {
    for (const hook of activeHooks(document)) {
      if (id === null || hook.id === id) outbox.clear(hook.ref);
      else outbox.resetUsage(hook.ref);
    }
  });
}

/** Drops caches after a failure, so that they match the rolled-back file. */
function inTransaction(document: OpenDocument, work: () => void): null {
  try {
    document.db.transaction(work);
    return null;
  } catch (error) {
    document.invalidateSchema();
    invalidateOutbox(document);
    throw error;
  }
}

/** @throws AppError `notFound` */
function findTable({ schema }: OpenDocument, name: string): TableInfo {
  const byRef = /^\d{1,15}$/.test(name) ? schema.tableByRef.get(Number(name)) : undefined;
  const table = schema.tableById.get(name) ?? byRef;
  if (!table) throw frozenError(FROZEN.tableNotFound, name);
  return table;
}

/** @throws AppError `notFound` */
function findColumn(table: TableInfo | undefined, name: string): number {
  const column = table?.columnById.get(name);
  if (!column) throw notFound(`Column not found "${name}"`, "column.not_found");
  return column.ref;
}

/**
 * Returns the refs of watched columns. Some clients send an empty string for "no column"; it is ignored. @throws
 * AppError `notFound`
 */
function watchedRefs(table: TableInfo | undefined, columns: readonly string[]): unknown {
  const refs = columns.filter((column) => column !== "").map((column) => findColumn(table, column));
  return refs.length > 0 ? ["L", ...refs] : null;
}
