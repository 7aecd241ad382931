import { describe, expect, test } from "bun:test";
import { curlCommand } from "../../src/web/base/curl.ts";
import type { Components, Operation } from "../../src/web/pages/reference/openapi.ts";
import { boundsText, collectFields, exampleValue, typeText } from "../../src/web/pages/reference/schema.ts";
import { testApp } from "../helpers/app.ts";
import { Visitor } from "./visitor.ts";

describe("the reference", () => {
  interface Described {
    paths: Record<string, Record<string, { operationId: string; summary: string; tags: string[] }>>;
  }

  test("shows every operation of the OpenAPI document", async () => {
    await using t = await testApp();
    const visitor = new Visitor(t.app);
    const overview = (await visitor.get("/reference")).html;
    const { body } = await t.call("anon", "GET", "/openapi.json");
    for (const [path, methods] of Object.entries((body as Described).paths)) {
      for (const [method, { operationId, summary, tags }] of Object.entries(methods)) {
        const page = `/reference/${tags[0]?.replaceAll(" ", "-")}`;
        const { html } = await visitor.get(page);
        const operation = html.slice(html.indexOf(` id="${operationId}" `)).split("</section>")[0] ?? "";
        expect(overview).toContain(`href="${page}#${operationId}"`);
        expect(operation.replaceAll("<wbr/>", "")).toContain(`${method.toUpperCase()}</span> <code>${path}</code>`);
        expect(operation).toContain(Bun.escapeHTML(summary).replaceAll("&#x27;", "&#39;"));
      }
    }
  });

  test("shows command lines with the configured public URL", async () => {
    await using t = await testApp({ flags: { "public-url": "https://docs.example.org" } });
    const { html } = await new Visitor(t.app).get("/reference/orgs");
    expect(html).toContain("https://docs.example.org/api/orgs");
    expect(html).not.toContain("quern.test");
  });
});

const components: Components = {
  Person: {
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string", maxLength: 1000 },
      age: { type: ["integer", "null"], minimum: 0, maximum: Number.MAX_SAFE_INTEGER, example: 36 },
      friends: { type: "array", items: { $ref: "#/components/schemas/Person" } },
    },
  },
  Base: { type: "object", required: ["id"], properties: { id: { type: "integer" } } },
};
const person = { $ref: "#/components/schemas/Person" };
const names = (schema: object, within?: readonly string[]) =>
  collectFields(schema, components, within).fields.map(({ name, isRequired }) => `${name}${isRequired ? "!" : ""}`);

describe("a schema", () => {
  test.each([
    [{ type: "string" }, "string"],
    [{ type: ["string", "null"] }, "string or null"],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, "string or null"],
    [{ oneOf: [{ type: "integer" }, { type: "integer", maximum: 3 }] }, "integer"],
    [{ enum: ["owners", "viewers", null] }, `"owners" or "viewers" or null`],
    [{ const: true }, "true"],
    [{ type: "array", items: { type: "integer" } }, "integer[]"],
    [{ type: "array", items: { type: ["integer", "null"] } }, "(integer or null)[]"],
    [{ type: "array" }, "(any value)[]"],
    [person, "object"],
    [{ allOf: [person, { description: "Somebody." }] }, "object"],
    [{}, "any value"],
  ])("%j is formatted as %s", (schema, text) => {
    expect(typeText(schema, components)).toBe(text);
  });

  test.each([
    [{ type: "string", format: "uuid", maxLength: 1_000_000 }, "uuid, at most 1,000,000 characters"],
    [{ type: "array", maxItems: 5 }, "at most 5 items"],
    [{ type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: 46 }, "to 46"],
    [{ type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER }, "from 1"],
    [{ type: "string" }, ""],
  ])("%j has the constraints: %s", (schema, text) => {
    expect(boundsText(schema, components)).toBe(text);
  });

  test("has the fields of references, arrays and allOf", () => {
    const all = ["name!", "age", "friends"];
    expect(names(person)).toEqual(all);
    expect(names({ type: "array", items: person })).toEqual(all);
    expect(names({ anyOf: [person, { type: "null" }] })).toEqual(all);
    expect(names({ type: "object", additionalProperties: person })).toEqual(all);
    const sum = { allOf: [{ $ref: "#/components/schemas/Base" }, person], properties: { more: {} } };
    expect(names(sum)).toEqual(["id!", ...all, "more"]);
    expect(names({ type: "string" })).toEqual([]);
    expect(names({ $ref: "#/components/schemas/Unknown" })).toEqual([]);
  });

  test("that is recursive is shown once", () => {
    const { within } = collectFields(person, components);
    expect(names({ type: "array", items: person }, within)).toEqual([]);
  });

  test("has an example of required fields and those with examples", () => {
    expect(exampleValue(person, components)).toEqual({ name: "text", age: 36 });
    expect(exampleValue({ type: "array", items: person, example: [1] }, components)).toEqual([1]);
    expect(exampleValue({ type: "array", items: { enum: ["a", "b"] } }, components)).toEqual(["a"]);
    expect(exampleValue({ properties: { a: { type: "boolean" }, b: { type: "number" } } }, components)).toEqual({
      a: true,
    });
    const endless: Components = { E: { type: "object", required: ["e"], properties: { e: { $ref: "#/E" } } } };
    expect(JSON.stringify(exampleValue({ $ref: "#/E" }, endless)).length).toBeLessThan(100);
  });
});

describe("a command line", () => {
  const operation: Operation = {
    id: "x",
    method: "PATCH",
    path: "/api/docs/{docId}",
    summary: "",
    description: "",
    parameters: [
      { name: "docId", in: "path", schema: { type: "string", example: "a b/c" } },
      { name: "name", in: "query", required: true, schema: { type: "string", example: "O'Hara & co" } },
      { name: "other", in: "query", schema: { type: "string" } },
    ],
    bodies: [],
    responses: [],
    errors: [],
  };
  const bodyOf = (type: string, schema: object) => ({ ...operation, bodies: [{ type, schema, description: "" }] });

  test("fills the path and required query parameters", () => {
    expect(curlCommand(operation, {}, "http://h").split(" \\\n  ")).toEqual([
      "curl -X PATCH",
      `-H "Authorization: Bearer $KEY"`,
      `'http://h/api/docs/a%20b%2Fc?name=O'\\''Hara%20%26%20co'`,
    ]);
  });

  test("quotes the body for the shell", () => {
    const line = curlCommand(bodyOf("application/json", { example: { name: "it's $HOME" } }), {}, "http://h");
    expect(line).toContain(`-d '{"name":"it'\\''s $HOME"}'`);
  });

  test("sends files as a form", () => {
    const upload = {
      required: ["upload", "name"],
      properties: { upload: { type: "string", format: "binary" }, name: { type: "string" }, more: {} },
    };
    const line = curlCommand(bodyOf("multipart/form-data", upload), {}, "http://h");
    expect(line).toContain(`-F 'upload=@file.grist' \\\n  -F 'name=text'`);
    expect(line).not.toContain("more");
  });
});
