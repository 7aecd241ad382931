import { expect, test } from "bun:test";
import { ChangeNotifier } from "../../src/hosts/change-notifier.ts";
import { verbs, type VerbName } from "../../src/hosts/verbs/verbs.ts";
import { changeOf } from "../../src/hosts/observed-documents.ts";

test("observers are notified of the changes that the verbs declare", () => {
  const names = Object.keys(verbs) as VerbName[];
  expect(names.map((name) => [name, changeOf(name)])).toEqual(
    names.map((name) => [name, verbs[name].changes ?? "none"]),
  );
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
