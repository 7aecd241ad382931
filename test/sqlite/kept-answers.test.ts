import { describe, expect, test } from "bun:test";
import { type KeptAnswer, partialAnswer } from "../../src/lib/kept-answers.ts";
import { Database } from "../../src/sqlite/database.ts";
import { ANSWER_LIMITS, type AnswerLimits, KeptAnswers, RETENTION_MS } from "../../src/sqlite/kept-answers.ts";

const START = Date.UTC(2026, 0, 1);
/** The size of an entry besides its content. */
const ENTRY = 300;

interface Step {
  readonly scope: string;
  readonly owner?: number;
  readonly atMs?: number;
  readonly content?: string;
}

interface Case {
  readonly limits?: AnswerLimits;
  readonly steps: readonly Step[];
  /** The scopes that are found at the time of the last step. */
  readonly found: string;
}

const adds = (scopes: string, more: Omit<Step, "scope"> = {}): Step[] =>
  scopes.split("").map((scope) => ({ scope, ...more }));

describe("kept answers", () => {
  const two = { maxAnswers: 2, maxBytes: 1e6 };
  const bytes = { maxAnswers: 100, maxBytes: 3 * (ENTRY + 10) };
  const ten = "0123456789";
  const CASES: Readonly<Record<string, Case>> = {
    "are found": { steps: adds("abc"), found: "abc" },
    "are limited in number, oldest first": { limits: two, steps: adds("abcd"), found: "cd" },
    "are limited in size, oldest first": { limits: bytes, steps: adds("abcd", { content: ten }), found: "bcd" },
    "give way to a large one": {
      limits: bytes,
      steps: [...adds("abc", { content: ten }), { scope: "d", content: "x".repeat(2 * ENTRY) }],
      found: "d",
    },
    "count bytes, not characters": { limits: bytes, steps: adds("abcd", { content: "é".repeat(10) }), found: "cd" },
    "are limited for each owner": {
      limits: two,
      steps: [...adds("ab", { owner: 1 }), ...adds("cde", { owner: 2 }), ...adds("f", { owner: 1 })],
      found: "bdef",
    },
    expire: { steps: [{ scope: "a" }, { scope: "b", atMs: 1 }, { scope: "c", atMs: RETENTION_MS }], found: "bc" },
    "expire for all owners": {
      steps: [
        { scope: "a", owner: 1 },
        { scope: "b", owner: 2, atMs: RETENTION_MS },
      ],
      found: "b",
    },
    "are replaced only when they have expired": {
      steps: [
        { scope: "a", content: "first" },
        { scope: "a", atMs: RETENTION_MS - 1, content: "second" },
        { scope: "b" },
      ],
      found: "ab",
    },
    "stay in order when the clock is set back": {
      limits: two,
      steps: [
        { scope: "a", atMs: 5000 },
        { scope: "b", atMs: 1000 },
        { scope: "c", atMs: 3000 },
      ],
      found: "bc",
    },
  };
  for (const [name, { limits = ANSWER_LIMITS, steps, found }] of Object.entries(CASES)) {
    test(name, () => {
      using db = new Database(":memory:");
      const answers = new KeptAnswers(db, "kept");
      answers.create();
      for (const { scope, owner = 0, atMs = 0, content = "" } of steps) {
        const answer: KeptAnswer = { form: "json", status: 200, content, verb: null };
        answers.add({ key: { scope, bodyHash: scope }, answer, nowMs: START + atMs, owner }, limits);
      }
      const nowMs = START + Math.max(...steps.map(({ atMs = 0 }) => atMs));
      expect(
        "abcdefg"
          .split("")
          .filter((scope) => answers.find(scope, nowMs))
          .join(""),
      ).toBe(found);
      const first = steps.find(({ scope }) => scope === found[0]);
      expect(answers.find(found[0] ?? "", nowMs)?.content).toBe(first?.content ?? "");
    });
  }
});

describe("a large answer is kept as ids", () => {
  const CASES: readonly (readonly [answer: unknown, ids: unknown])[] = [
    [{ records: [{ id: 1, fields: { A: 2 } }, { id: 5 }] }, [1, 5]],
    [
      [1, 2, 3],
      [1, 2, 3],
    ],
    [{ recordIds: [[1], [2, 3]], addRecordIds: [1], updateRecordIds: [[2, 3]] }, [1, 2, 3]],
    [{ results: [{ as: "a", ids: [1] }, { ids: [2, null] }] }, [[1], [2, null]]],
    [{ webhooks: ["long"] }, null],
    ["text", null],
    [null, null],
    [Array.from({ length: 300_000 }, () => 123_456), null],
  ];
  for (const [answer, ids] of CASES) {
    test(JSON.stringify(answer).slice(0, 60), () => {
      expect(JSON.parse(partialAnswer(JSON.stringify(answer)))).toEqual({ partial: true, ids });
    });
  }
});
