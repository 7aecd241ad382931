import { OpenApiGeneratorV31, OpenAPIRegistry } from "@asteasolutions/zod-to-openapi";
import { expect, test } from "bun:test";
import { z } from "../../src/wire/common/schema.ts";

const Named = () => z.object({ id: z.number().openapi({ example: 1 }) }).openapi("Named");
const REFERENCE = { $ref: "#/components/schemas/Named" };

/** Schemas, and their description: a modifier keeps the metadata of the schema that it is called on. */
const CASES: readonly [string, () => z.ZodType, unknown][] = [
  ["a description", () => z.string().openapi({ description: "D" }), { type: "string", description: "D" }],
  [
    "a later annotation completes an earlier one",
    () => z.string().openapi({ description: "D" }).openapi({ example: "E" }),
    { type: "string", description: "D", example: "E" },
  ],
  [
    "min, then max",
    () => z.string().openapi({ description: "D" }).min(1).max(2),
    { type: "string", minLength: 1, maxLength: 2, description: "D" },
  ],
  [
    "length",
    () => z.string().openapi({ description: "D" }).length(3),
    { type: "string", minLength: 3, maxLength: 3, description: "D" },
  ],
  [
    "bounds of a bigint",
    () => z.bigint().openapi({ description: "D" }).min(1n),
    { type: "string", pattern: "^\\d+$", description: "D" },
  ],
  [
    "refine",
    () =>
      z
        .number()
        .openapi({ description: "D" })
        .refine((n) => n > 1),
    { type: "number", description: "D" },
  ],
  ["transform", () => z.number().openapi({ description: "D" }).transform(String), { type: "number", description: "D" }],
  [
    "default",
    () => z.number().openapi({ description: "D" }).default(4),
    { type: "number", default: 4, description: "D" },
  ],
  [
    "nullable",
    () => z.number().openapi({ description: "D" }).nullable(),
    { type: ["number", "null"], description: "D" },
  ],
  ["a named schema", Named, REFERENCE],
  ["an optional one", () => z.object({ a: Named().optional() }), { type: "object", properties: { a: REFERENCE } }],
  [
    "an extended one",
    () => Named().extend({ more: z.string() }),
    { allOf: [REFERENCE, { type: "object", properties: { more: { type: "string" } }, required: ["more"] }] },
  ],
  [
    "catchall",
    () => z.object({}).openapi({ description: "D" }).catchall(z.string()),
    { type: "object", properties: {}, additionalProperties: { type: "string" }, description: "D" },
  ],
];

for (const [name, schema, expected] of CASES) {
  test(`annotated schemas: ${name}`, () => {
    const registry = new OpenAPIRegistry();
    registry.register("Base", Named());
    registry.registerPath({
      method: "get",
      path: "/",
      responses: { 200: { description: "", content: { "application/json": { schema: schema() } } } },
    });
    const { paths } = new OpenApiGeneratorV31(registry.definitions).generateDocument({
      openapi: "3.1.0",
      info: { title: "", version: "" },
    });
    const response = paths?.["/"]?.get?.responses?.["200"] as { content: Record<string, { schema: unknown }> };
    expect(response.content["application/json"]?.schema).toEqual(expected);
  });
}

test("annotating a schema twice changes neither the schema nor the first annotation", () => {
  const plain = z.string();
  const [first, second] = [plain.openapi("First"), plain.openapi("Second")];
  expect([plain === first, first === second]).toEqual([false, false]);
  expect(first.parse("a")).toBe("a");
});

test("annotated schemas share their modifiers: a closure for each would take megabytes", () => {
  const [one, other] = [z.string().min(2).openapi({ description: "D" }), z.string().openapi("Other")];
  // Calling one sets a method on the schema.
  one.optional();
  for (const name of ["optional", "nullable", "default", "transform", "refine", "min", "max", "length"] as const) {
    expect(Object.getOwnPropertyDescriptor(one, name)?.value).toBe(Object.getOwnPropertyDescriptor(other, name)?.value);
  }
});
