import type { FileWebhook } from "../../exchange/schema-file/model.ts";
import type { OpenDocument } from "../document.ts";
import { readHooks } from "../webhooks/hooks.ts";
import { findOutbox } from "../webhooks/outbox.ts";
import type { SchemaKeys } from "./schema-keys.ts";

/** Describes the webhooks of a document without their URLs and secrets. */
export function describeWebhooks(document: OpenDocument, keys: SchemaKeys): FileWebhook[] {
  const outbox = findOutbox(document);
  if (!outbox) return [];
  const hooks = readHooks(document).filter(
    (hook) => outbox.hasHook(hook) && document.schema.tableByRef.has(hook.tableRef),
  );
  return hooks.map(({ name, tableRef, eventTypes, isEnabled, memo, readyRef, watchedRefs }) => {
    const watched = watchedRefs.map((ref) => keys.ofColumn(ref)).filter((key) => key !== "");
    return {
      name: name ?? "",
      table: keys.ofTable(tableRef),
      events: [...eventTypes],
      ...(!isEnabled && { enabled: false }),
      ...(memo !== null && memo !== "" && { memo }),
      ...(keys.ofColumn(readyRef) !== "" && { readyColumn: keys.ofColumn(readyRef) }),
      ...(watched.length > 0 && { watchedColumns: watched }),
    };
  });
}
