import type { RuntimeCallbacks } from "../document-runtime.ts";
import type { WorkerNotification } from "./document-worker.ts";

/** Calls the callback of a notification about a commit, once the commit may be known. */
export function passOn(
  notice: Extract<WorkerNotification, { kind: "events" | "recalculated" | "rulesChanged" }>,
  callbacks: RuntimeCallbacks,
): void {
  switch (notice.kind) {
    case "events":
      return callbacks.onEvents?.(notice.uuid);
    case "recalculated":
      return callbacks.onRecalculated?.(notice.uuid);
    case "rulesChanged":
      return callbacks.onRulesChanged?.(notice.grant, notice.count);
    default:
      return notice satisfies never;
  }
}
