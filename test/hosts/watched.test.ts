import { expect, test } from "bun:test";
import { ChangeNotifier } from "../../src/hosts/change-notifier.ts";
import { verbs, type VerbName } from "../../src/hosts/verbs/verbs.ts";
import { CONTENT_WRITE_VERBS, METADATA_WRITE_VERBS } from "../../src/hosts/observed-documents.ts";

/** Verbs that require more than viewers and change nothing that readers can see. */
const OTHERS: readonly VerbName[] = [
  "attachments.recordMoved",
  "attachments.put",
  "columns.previewConversion",
  "document.flush",
  "document.mayReplace",
  "rules.attributeUsers",
  "states.remove",
  "timing.get",
  "timing.start",
  "timing.stop",
  "webhooks.attempts",
  "webhooks.clear",
  "webhooks.due",
  "webhooks.list",
  "webhooks.sample",
  "webhooks.sent",
  "webhooks.recordOutcome",
];

test("every verb that may write is known either to change what is read or not to", () => {
  const able = (Object.keys(verbs) as VerbName[]).filter((name) => verbs[name].needs !== "viewers");
  expect(able.toSorted()).toEqual([...CONTENT_WRITE_VERBS, ...METADATA_WRITE_VERBS, ...OTHERS].toSorted());
});

test("signals reach subscribers until they unsubscribe", () => {
  const signals = new ChangeNotifier();
  const heard: string[] = [];
  const stop = signals.subscribe("a", (signal) => heard.push(`1 ${signal}`));
  signals.subscribe("a", (signal) => heard.push(`2 ${signal}`));
  signals.emit("a", "changed");
  signals.emit("b", "changed");
  stop();
  stop();
  signals.emit("a", "replaced");
  signals.stop();
  expect(heard).toEqual(["1 changed", "2 changed", "2 replaced", "2 stopping"]);
  expect(() => signals.subscribe("a", () => undefined)).toThrow("shutting down");
});
