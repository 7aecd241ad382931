/** When answers may leave, by the commit that they saw. */
import { expect, test } from "bun:test";
import { AppError } from "../../src/errors.ts";
import { reportCallbackErrors } from "../../src/lib/callbacks.ts";
import { grantOf } from "../doc/read/sample.ts";
import { hosted } from "./hosted.ts";
import { AnswerGate } from "../../src/hosts/answer-gate.ts";

const commit = (seq: number, epoch = "a") => ({ epoch, seq });

function gated() {
  const gate = new AnswerGate();
  const left: string[] = [];
  return {
    gate,
    left,
    pass: (name: string, seq: number, uuid = "doc") => gate.pass(uuid, commit(seq), () => left.push(name)),
  };
}

test("an open gate lets every answer leave at once", () => {
  const { gate, left, pass } = gated();
  pass("one", 7);
  gate.pass("doc", null, () => left.push("two"));
  expect([left, gate.isOpen("doc")]).toEqual([["one", "two"], true]);
});

test("a closed gate holds back answers that saw a later commit, and releases them in order", () => {
  const { gate, left, pass } = gated();
  gate.hold("doc", commit(5));
  expect(gate.isOpen("doc")).toBe(false);
  pass("write 7", 7);
  pass("read 6", 6);
  pass("read 5", 5);
  pass("read 7", 7);
  pass("other document", 9, "other");
  gate.pass("doc", null, () => left.push("nothing read"));
  expect(left).toEqual(["read 5", "other document", "nothing read"]);
  gate.release("doc", commit(6));
  expect(left.slice(3)).toEqual(["read 6"]);
  gate.release("doc", commit(7));
  expect(left.slice(4)).toEqual(["write 7", "read 7"]);
  pass("read 8", 8);
  expect(left).toHaveLength(6);
  gate.open("doc");
  expect(left.slice(6)).toEqual(["read 8"]);
});

test("refused answers do not leave, nor do later ones that saw an unreleased commit, until the document is held again", () => {
  const { gate, left, pass } = gated();
  const refused: string[] = [];
  const passRefusable = (name: string, seq: number) =>
    gate.pass("doc", commit(seq), {
      leave: () => left.push(name),
      refuse: ({ message }) => refused.push(`${name}: ${message}`),
    });
  gate.hold("doc", commit(5));
  passRefusable("write 6", 6);
  pass("notification 6", 6);
  gate.refuse("doc", new AppError("unavailable", "fenced"));
  passRefusable("read 7", 7);
  passRefusable("read 5", 5);
  expect([left, refused]).toEqual([["read 5"], ["write 6: fenced", "read 7: fenced"]]);
  gate.hold("doc", commit(5));
  passRefusable("write 8", 8);
  gate.release("doc", commit(8));
  expect([left.slice(1), refused.length]).toEqual([["write 8"], 2]);
});

test("the refusal of the moment decides when an answer is about to leave, not when it was passed", () => {
  let refusal: AppError | null = null;
  const gate = new AnswerGate(() => refusal);
  const outcomes: string[] = [];
  const pass = (name: string, seq: number) =>
    gate.pass("doc", commit(seq), { leave: () => outcomes.push(name), refuse: () => outcomes.push(`no ${name}`) });
  gate.hold("doc", commit(1));
  pass("read 1", 1);
  pass("write 2", 2);
  refusal = new AppError("unavailable", "the lease has ended");
  gate.release("doc", commit(2));
  pass("read 2", 2);
  refusal = null;
  pass("read 2 again", 2);
  expect(outcomes).toEqual(["read 1", "no write 2", "no read 2", "read 2 again"]);
  refusal = new AppError("unavailable", "the lease has ended");
  gate.pass("other", commit(9), { leave: () => outcomes.push("not held") });
  expect(outcomes.at(-1)).toBe("not held");
});

test("an answer that fails to leave does not hold back the others", () => {
  const reported: unknown[] = [];
  reportCallbackErrors((error) => reported.push(error));
  const { gate, left, pass } = gated();
  gate.hold("doc", commit(1));
  gate.pass("doc", commit(2), () => {
    throw new Error("no listener");
  });
  pass("second", 2);
  gate.release("doc", commit(2));
  expect([left, reported.length]).toEqual([["second"], 1]);
  reportCallbackErrors((error) => {
    throw error;
  });
});

test("answers of changes and reads that saw an unreleased commit wait in order, also those of SQL and copies", async () => {
  const gate = new AnswerGate();
  await using h = hosted({ gate });
  const uuid = await h.make();
  await h.add(uuid, { A: 1 });
  const left: string[] = [];
  const note = (name: string) => (): void => void left.push(name);
  // Nothing after the first change is released.
  gate.hold(uuid, { epoch: "any", seq: 0 });
  const held = [
    h.add(uuid, { A: 2 }).then(note("change")),
    h.read(uuid).then(note("read")),
    h.host.released(grantOf(uuid)).then(note("copy")),
  ];
  // Another document is not affected, and its answers come after those of the same worker.
  const other = await h.make();
  await h.add(other, { A: 3 });
  expect(left).toEqual([]);
  gate.release(uuid, { epoch: "any", seq: Number.MAX_SAFE_INTEGER });
  await Promise.all(held);
  expect(left).toEqual(["change", "read", "copy"]);
  gate.open(uuid);
  await h.host.released(grantOf(uuid));
});
