import { isDeepStrictEqual } from "node:util";
import type { FileSettings, FileWebhook } from "../../exchange/schema-file/model.ts";
import { readHooks, type Hook } from "../webhooks/hooks.ts";
import { findOutbox } from "../webhooks/outbox.ts";
import { type Application, shown, type Steps } from "./application.ts";
import { describeWebhooks } from "./describe-webhooks.ts";
import { SchemaKeys } from "./schema-keys.ts";
import { wantedKeys } from "./apply-access.ts";

/** Changes the settings of the document that the file has; the others stay. */
export function* changeSettings(application: Application, file: FileSettings): Steps {
  const { timezone, documentSettings } = application.document;
  const { locale, currency } = documentSettings;
  const values: Record<string, string> = {};
  if (file.timezone !== undefined && file.timezone !== timezone) {
    application.add("change", ["document", "timezone"], `Change the time zone to ${file.timezone}`);
    values["timezone"] = file.timezone;
  }
  const settings = { ...documentSettings };
  for (const [name, before] of [
    ["locale", locale],
    ["currency", currency],
  ] as const) {
    const after = file[name];
    if (after === undefined || after === before) continue;
    application.add("change", ["document", name], `Change the ${name} to ${shown(after)}`);
    settings[name] = after;
  }
  if (!isDeepStrictEqual(settings, documentSettings)) values["documentSettings"] = JSON.stringify(settings);
  if (Object.keys(values).length > 0) yield ["UpdateRecord", "_grist_DocInfo", 1, values];
}

/** Sets which tables are loaded on demand. This turns their empty columns into texts, so columns get their types later. */
export function* changeOnDemand(application: Application): Steps {
  for (const wanted of application.wanted) {
    const table = application.tableOf(wanted);
    if (!table || wanted.summaryOf || wanted.onDemand === table.onDemand) continue;
    if (!application.isNew("table", table.ref))
      application.add(
        "change",
        [...wanted.path, "onDemand"],
        `Load ${shown(table.id)} ${wanted.onDemand ? "" : "not "}on demand`,
      );
    yield ["UpdateRecord", "_grist_Tables", table.ref, { onDemand: wanted.onDemand }];
  }
}

export function* changeDescriptions(application: Application): Steps {
  for (const wanted of application.wanted) {
    const table = application.tableOf(wanted);
    if (!table) continue;
    const [row] = application.document.db.values(
      "select description from _grist_Views_section where id = ?",
      table.rawViewSectionRef,
    );
    if (!row || String(row[0] ?? "") === wanted.description) continue;
    if (!application.isNew("table", table.ref))
      application.add("change", [...wanted.path, "description"], `Change the description of ${shown(table.id)}`);
    yield ["UpdateRecord", "_grist_Views_section", table.rawViewSectionRef, { description: wanted.description }];
  }
}

/** Changes the webhooks with the names of the file. None are added or removed: their URLs are not in the file. */
export function* changeWebhooks(application: Application, file: readonly FileWebhook[]): Steps {
  const { document } = application;
  const outbox = findOutbox(document);
  const hooks = outbox ? readHooks(document).filter((hook) => outbox.hasHook(hook)) : [];
  const known = describeWebhooks(document, new SchemaKeys(document, wantedKeys(application)));
  const unused = new Set(hooks);
  for (const [at, webhook] of file.entries()) {
    const hook = hooks.find((other) => unused.has(other) && (other.name ?? "") === webhook.name);
    if (!hook) continue;
    unused.delete(hook);
    const described = known[hooks.indexOf(hook)];
    const values = changedValues(application, webhook, described, hook);
    if (Object.keys(values).length === 0) continue;
    application.add("change", ["webhooks", at], `Change the webhook ${shown(webhook.name)}`);
    yield ["UpdateRecord", "_grist_Triggers", hook.ref, values];
  }
}

function changedValues(
  application: Application,
  { table: key, events, enabled = true, memo = "", readyColumn, watchedColumns = [] }: FileWebhook,
  before: FileWebhook | undefined,
  hook: Hook,
): Record<string, unknown> {
  const table = application.tableByKey(key);
  const refOf = (column: string) => (table && application.columnByKey(table, column)?.ref) ?? 0;
  const values: Record<string, unknown> = {};
  const tableRef = table ? application.tableOf(table)?.ref : undefined;
  if (tableRef !== undefined && tableRef !== hook.tableRef) values["tableRef"] = tableRef;
  if (!isDeepStrictEqual(events.toSorted(), before?.events.toSorted())) values["eventTypes"] = ["L", ...events];
  if (enabled !== hook.isEnabled) values["enabled"] = enabled;
  if (memo !== (hook.memo ?? "")) values["memo"] = memo;
  if (readyColumn !== before?.readyColumn || values["tableRef"])
    values["isReadyColRef"] = readyColumn === undefined ? 0 : refOf(readyColumn);
  if (!isDeepStrictEqual(watchedColumns.toSorted(), (before?.watchedColumns ?? []).toSorted()) || values["tableRef"])
    values["watchedColRefList"] = watchedColumns.length > 0 ? ["L", ...watchedColumns.map(refOf)] : null;
  return values;
}
