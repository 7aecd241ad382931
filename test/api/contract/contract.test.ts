/**
 * Checks every route against the OpenAPI document with random values: valid values are not refused for their form,
 * invalid ones are, and the document describes every response. Document workers validate bodies with records by hand,
 * so this checks them against the schemas as well.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { operations, problemOf, type Operation, type Parameter } from "./description.ts";
import { Subject, type Answer, type Asked } from "./subject.ts";
import { allowed, refused } from "./values.ts";

const SEED = Number(process.env["QUERN_TEST_SEED"] ?? Date.now() % 1_000_000_000);
/** Number of requests of each kind per operation. */
const RUNS = Number(process.env["QUERN_TEST_REQUESTS"] ?? 8);
const ONE_OPERATION_MS = 60_000;

let subject: Subject;
beforeAll(async () => {
  subject = await Subject.make();
});
afterAll(() => subject[Symbol.asyncDispose]());

/** Creates a new subject if an operation has removed parts of it. */
async function wholeSubject(): Promise<void> {
  if (await subject.isWhole()) return;
  await subject[Symbol.asyncDispose]();
  subject = await Subject.make();
}

type Values = Readonly<Record<string, unknown>>;

/** Returns the path of an operation; `replaced` replaces path parameters. */
function addressOf({ path, parameters }: Operation, query: Values, replaced: Values = {}): string {
  const values = { ...subject.params, ...replaced };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(values[name as keyof typeof values])),
  );
  const given = parameters.flatMap(({ name }): [string, string][] =>
    query[name] === undefined ? [] : [[name, String(query[name] as string | number | boolean)]],
  );
  return given.length > 0 ? `${filled}?${new URLSearchParams(given).toString()}` : filled;
}

const queryOf = ({ parameters }: Operation): readonly Parameter[] => parameters.filter((one) => one.in === "query");

const allowedQuery = (operation: Operation): fc.Arbitrary<Values> =>
  fc.record(Object.fromEntries(queryOf(operation).map(({ name, schema }) => [name, allowed(schema)])), {
    requiredKeys: queryOf(operation).flatMap(({ name, required }) => (required ? [name] : [])),
  });

const JSON_TYPE = "application/json";
const bodyOf = ({ bodies }: Operation): fc.Arbitrary<string | undefined> => {
  const schema = bodies[JSON_TYPE]?.schema;
  return schema === undefined ? fc.constant(undefined) : allowed(schema).map((value) => JSON.stringify(value));
};

/** Sends random requests, each checked against the document; a failure prints the seed and the request. */
async function tryAll<T>(
  operation: Operation,
  values: fc.Arbitrary<T>,
  asked: (value: T) => Asked,
  check: (answer: Answer) => void,
): Promise<void> {
  await wholeSubject();
  await fc.assert(
    fc.asyncProperty(values, async (value) => {
      const request = asked(value);
      const answer = await subject.ask(request);
      try {
        expectDescribed(operation, answer);
        check(answer);
      } catch (error) {
        const { status, type, body } = answer;
        const what = JSON.stringify({ ...request, status, type, answer: body });
        throw new Error(`${what.slice(0, 3000)}\n${(error as Error).message}`, { cause: error });
      }
    }),
    // Shrinking would send hundreds of requests that each change the document.
    { seed: SEED, numRuns: RUNS, endOnFailure: true, plugins: [fc.interruptAfterTimeLimit(ONE_OPERATION_MS / 2)] },
  );
}

/** Expects that the document describes the status, the content type and the body. */
function expectDescribed({ responses }: Operation, { status, type, body }: Answer): void {
  expect(status).not.toBe(500);
  expect(Object.keys(responses)).toContain(String(status));
  const content = responses[String(status)]?.content;
  if (!content) return expect(body).toBe("");
  if (!("*/*" in content)) expect(Object.keys(content)).toContain(type);
  const schema = content[type]?.schema;
  if (type === JSON_TYPE && schema !== undefined) expect(problemOf(schema, body)).toBeNull();
}

const codeOf = ({ body }: Answer): unknown => (body as { details?: { code?: unknown } } | null)?.details?.code;
const named = (list: readonly Operation[]) => list.map((operation) => [operation.id, operation] as const);

describe(`accepts requests that match the document (QUERN_TEST_SEED=${SEED})`, () => {
  test.each(named(operations))(
    "%s",
    async (_, operation) => {
      const values = fc.tuple(allowedQuery(operation), bodyOf(operation));
      await tryAll(
        operation,
        values,
        ([query, body]) => ({
          method: operation.method,
          path: addressOf(operation, query),
          ...(body !== undefined && { body }),
        }),
        (answer) =>
          expect(["payload.invalid", "body.invalid_json", "body.content_type"]).not.toContain(codeOf(answer) as string),
      );
    },
    ONE_OPERATION_MS,
  );
});

describe(`refuses bodies that the document's schemas exclude (QUERN_TEST_SEED=${SEED})`, () => {
  const withBody = operations.filter(({ bodies }) => bodies[JSON_TYPE] !== undefined);
  test.each(named(withBody))(
    "%s",
    async (_, operation) => {
      const schema = operation.bodies[JSON_TYPE]?.schema ?? true;
      await tryAll(
        operation,
        refused(schema).filter((value) => value !== undefined),
        (value) => ({ method: operation.method, path: addressOf(operation, {}), body: JSON.stringify(value) }),
        (answer) => {
          // Requests are sent with an API key.
          if (codeOf(answer) === "access.session_required") return expect(answer.status).toBe(403);
          expect(answer.status).toBe(400);
        },
      );
    },
    ONE_OPERATION_MS,
  );
});

describe(`refuses parameters that the document's schemas exclude (QUERN_TEST_SEED=${SEED})`, () => {
  /** Excludes booleans: all texts other than the true ones are false. */
  const isChecked = ({ in: place, schema }: Parameter): boolean =>
    place !== "header" && typeof schema === "object" && schema["type"] !== "boolean" && refusedTexts(schema).length > 0;
  const parameters = operations.flatMap((operation) =>
    operation.parameters
      .filter(isChecked)
      .map((parameter) => [`${operation.id}: ${parameter.name}`, operation, parameter] as const),
  );
  test.each(parameters)(
    "%s",
    async (_, operation, { name, in: place, schema }) => {
      await tryAll(
        operation,
        fc.constantFrom(...refusedTexts(schema as Readonly<Record<string, unknown>>)),
        (text) => ({
          method: operation.method,
          path: place === "path" ? addressOf(operation, {}, { [name]: text }) : addressOf(operation, { [name]: text }),
        }),
        (answer) => {
          // Requests are sent with an API key.
          if (codeOf(answer) === "access.session_required") return expect(answer.status).toBe(403);
          expect(place === "path" ? [400, 404] : [400]).toContain(answer.status);
        },
      );
    },
    ONE_OPERATION_MS,
  );
});

/** Returns texts that the schema of a parameter excludes. */
function refusedTexts(schema: Readonly<Record<string, unknown>>): string[] {
  const texts = ["x", "1.5", "-1", "x".repeat(2000), "\u0001"];
  return texts.filter((text) => {
    const value: unknown = schema["type"] === "integer" && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
    return problemOf(schema, value) !== null;
  });
}
