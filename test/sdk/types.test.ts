/** What the compiler says about programs that use the client: each feature, used correctly and wrongly. */
import { beforeAll, describe, expect, test } from "bun:test";
import { type TypeProblem, typeProblems } from "../helpers/type-check.ts";
import { builtSdk } from "./built-sdk.ts";
import { LIVE_CASES } from "./live-cases.ts";
import { READING_CASES } from "./reading-cases.ts";
import { WRITING_CASES } from "./writing-cases.ts";

const SCHEMA = `export interface Schema {
  Countries: { Name: { type: "Text" }; Continent: { type: "Ref"; target: "Continents" } };
  Continents: { Title: { type: "Text" } };
  Customers: {
    Name: { type: "Text" };
    City: { type: "Text" };
    Country: { type: "Ref"; target: "Countries" };
    Friends: { type: "RefList"; target: "Customers" };
  };
  Orders: {
    Customer: { type: "Ref"; target: "Customers" };
    Watchers: { type: "RefList"; target: "Customers" };
    Somewhere: { type: "Ref" };
    Amount: { type: "Int" };
    Price: { type: "Numeric" };
    Ordered: { type: "Date" };
    Status: { type: "Choice"; choices: "open" | "shipped" };
    Tags: { type: "ChoiceList"; choices: "new" | "urgent" };
    Files: { type: "Attachments" };
    Paid: { type: "Bool" };
    Note: { type: "Text" };
    Total: { type: "Any"; value: number; computed: true };
    Mixed: { type: "Any"; computed: true };
    "order no": { type: "Text" };
  };
}
`;

const PRELUDE = `import { createClient, fromList, QuernError, ref, toList, verifyWebhook } from "quern-client";
import type { Delivery, ErrorCode, LiveState, WebhookRow } from "quern-client";
import type { Schema } from "./schema.d.ts";
const client = createClient<Schema>({ url: "https://quern.example.com", key: "secret" });
const doc = client.doc("id");
const orders = doc.table("Orders");
const untyped = createClient({ url: "" }).doc("id").table("Anything");
declare function is<T>(value: T): void;
declare const signal: AbortSignal;
export {};
void [toList, fromList, ref, verifyWebhook, QuernError, untyped, signal];
`;

const CASES = [...READING_CASES, ...LIVE_CASES, ...WRITING_CASES];

let problems: TypeProblem[] = [];
/** The file has one line for each use. */
const firstLine = PRELUDE.split("\n").length;

beforeAll(async () => {
  const { folder } = await builtSdk();
  const use = (at: 1 | 2) => `${PRELUDE}${CASES.map((row) => `void (async () => { ${row[at]} });`).join("\n")}\n`;
  problems = await typeProblems(
    { "schema.d.ts": SCHEMA, "correct.ts": use(1), "wrong.ts": use(2) },
    { compilerOptions: { paths: { "quern-client": [`${folder}/index.d.ts`] } } },
  );
}, 60_000);

const problemsOf = (file: string, at: number) =>
  problems.filter((problem) => problem.file.endsWith(file) && problem.line === firstLine + at);

describe("the compiler accepts", () => {
  test.each(CASES.map(([feature], at) => [feature, at] as const))("%s", (_, at) => {
    expect(problemsOf("correct.ts", at).map(({ message }) => message)).toEqual([]);
  });
});

describe("the compiler refuses a wrong use of", () => {
  test.each(CASES.map(([feature], at) => [feature, at] as const))("%s", (_, at) => {
    expect(problemsOf("wrong.ts", at).length).toBeGreaterThan(0);
  });
});

test("nothing else is wrong, and each line is that of its use", () => {
  expect(
    problems.filter(
      ({ file, line }) => line < firstLine || line >= firstLine + CASES.length || !/(correct|wrong)\.ts$/.test(file),
    ),
  ).toEqual([]);
});
