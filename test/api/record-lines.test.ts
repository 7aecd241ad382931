import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Reply, testApp, type TestApp } from "../helpers/app.ts";
import {
  countOf,
  FULL,
  line,
  lines,
  lineTable,
  NDJSON,
  rowsOf,
  sendLines,
  type SentLines,
} from "../helpers/record-lines.ts";
import { setRules } from "../helpers/access-rules.ts";
import { createSharedFixture, type DocumentFixture } from "../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;

beforeAll(async () => {
  server = await testApp();
  place = await createSharedFixture(server);
});
afterAll(() => server[Symbol.asyncDispose]());

const send = (table: string, raw: string, sent?: SentLines): Promise<Reply> => sendLines(server, table, raw, sent);

const inOrder = (rows: readonly unknown[][]): unknown[][] =>
  rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
describe("up to 1,000 lines are one transaction", () => {
  const cases: readonly [name: string, raw: string, rows: unknown[][], sent?: SentLines][] = [
    [
      "fields",
      `${line(1)}\n${line(2)}\n`,
      [
        ["c1", 1, 2],
        ["c2", 2, 4],
      ],
    ],
    ["records", '{"id":7,"fields":{"City":"a","Count":3}}', [["a", 3, 6]]],
    ["ids are ignored", '{"id":7,"City":"a","Count":3}', [["a", 3, 6]]],
    [
      "different fields",
      '{"City":"a"}\n{"Count":2}\n',
      [
        ["a", null, null],
        [null, 2, 4],
      ],
    ],
    [
      "blank lines and CRLF",
      `\r\n${line(1)}\r\n \t\r\n\n${line(2)}`,
      [
        ["c1", 1, 2],
        ["c2", 2, 4],
      ],
    ],
    ["a byte order mark", `\uFEFF${line(1)}\n`, [["c1", 1, 2]]],
    ["text is parsed by the type", '{"Count":"5"}', [["", 5, 10]]],
    ["line separators inside of texts", '{"City":"a\u2028b\\nc"}', [["a\u2028b\nc", 0, 0]]],
    [
      "upserts",
      '{"require":{"City":"a"},"fields":{"Count":1}}\n{"require":{"City":"b"}}\n{"require":{"City":"c"},"fields":{"Count":3}}\n',
      [
        ["a", 1, 2],
        ["b", 0, 0],
        ["c", 3, 6],
      ],
      { method: "PUT" },
    ],
  ];
  test.each(cases.map((one) => [one[0], one] as const))("%s", async (_, [, raw, rows, sent]) => {
    const table = await lineTable(server, place);
    const reply = await send(table, raw, sent);
    expect(reply.status).toBe(200);
    const found = await rowsOf(server, table);
    expect(inOrder(found)).toEqual(inOrder(rows));
    if (sent?.method !== "PUT") expect(reply.body.records).toHaveLength(rows.length);
  });

  test("a full transaction answers with its ids", async () => {
    const table = await lineTable(server, place);
    const reply = await send(table, lines(FULL).join("\n"));
    expect(reply.status).toBe(200);
    expect(reply.body.records).toHaveLength(FULL);
    expect(await countOf(server, table)).toBe(FULL);
  });
});

/** The error is about the request. */
const NO_LINE = expect.not.objectContaining({ line: expect.anything() }) as object;

describe("refusals change nothing", () => {
  const cases: readonly [
    name: string,
    raw: string | Uint8Array<ArrayBuffer>,
    status: number,
    details: object,
    sent?: SentLines,
  ][] = [
    ["no line", "", 400, { code: "body.invalid_json" }],
    ["blank lines", "\n \n", 400, { code: "body.invalid_json" }],
    ["not JSON", `${line(1)}\n{"City":\n`, 400, { code: "body.invalid_json", line: 2 }],
    ["a list", `\n[1]\n`, 400, { code: "body.invalid_json", line: 2 }],
    ["two objects", '{"City":"a"},{"City":"b"}', 400, { code: "body.invalid_json", line: 1 }],
    ["an end of the list", '{"City":"a"}],"x":[{}', 400, { code: "body.invalid_json", line: 1 }],
    ["not UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), 400, { code: "body.invalid_json" }],
    ["an unknown column", `${line(1)}\n{"Nope":1}`, 400, { line: 2 }],
    ["an unknown column after blank lines", `\n${line(1)}\n\r\n{"Nope":1}\n${line(3)}`, 400, { line: 4 }],
    ["two lines with errors", `${line(1)}\n${line(2)}\n{"Nope":1}\n{"None":1}`, 400, { line: 3 }],
    ["the last of many lines", `${lines(FULL - 1).join("\n")}\n{"Nope":1}`, 400, { line: FULL }],
    [
      "an invalid value",
      `${line(1)}\n{"City":{"a":1}}`,
      400,
      { code: "payload.invalid", line: 2, userError: "Error: Line 2: fields.City is not a valid cell value" },
    ],
    ["an invalid value of the first line", `{"City":{"a":1}}\n${line(2)}`, 400, { code: "payload.invalid", line: 1 }],
    [
      "an upsert of an unknown column",
      '{"require":{"City":"a"}}\n{"require":{"City":"b"},"fields":{"Nope":1}}\n{"require":{"City":"c"}}',
      400,
      { line: 2 },
      { method: "PUT" },
    ],
    ["an empty require", '{"require":{"City":"a"}}\n{"require":{}}', 400, { line: 2 }, { method: "PUT" }],
    ["an unknown onmany, which is no line's", '{"require":{}}', 400, NO_LINE, { method: "PUT", query: "?onmany=some" }],
    ["atomic and skip", line(1), 400, { code: "request.invalid" }, { query: "?atomic=1&onError=skip" }],
    ["an unknown onError", line(1), 400, { code: "payload.invalid" }, { query: "?onError=retry" }],
    ["upsert without require", '{"fields":{}}', 400, { code: "payload.invalid", line: 1 }, { method: "PUT" }],
    ["many lines, unknown onmany", lines(FULL + 1).join("\n"), 400, {}, { method: "PUT", query: "?onmany=some" }],
    ["too many lines for atomic", "{}\n".repeat(100_001), 400, { code: "limit.exceeded" }, { query: "?atomic=1" }],
    ["a viewer", line(1), 403, {}, { as: "viewer" }],
    ["a stranger", line(1), 403, {}, { as: "stranger" }],
    ["PATCH", line(1), 400, { code: "body.content_type" }, { method: "PATCH" }],
  ];
  test.each(cases.map((one) => [one[0], one] as const))("%s", async (_, [, raw, status, details, sent]) => {
    const table = await lineTable(server, place);
    const reply = await send(table, raw as string, sent);
    expect(reply).toMatchObject({ status, body: { error: expect.stringMatching(/./), details } });
    expect(await countOf(server, table)).toBe(0);
    expect((await server.must<{ jobs: unknown[] }>("GET", `${place.doc}/jobs`)).jobs).toEqual(
      expect.not.arrayContaining([expect.objectContaining({ status: "waiting" })]),
    );
  });

  test("the line that access rules refuse is named, and nothing of the others remains", async () => {
    const table = await lineTable(server, place);
    const id = table.split("/").at(-1) ?? "";
    await setRules(server, place.doc, { [`${id}:*`]: [{ formula: "newRec.Count == 3", permissions: "-C" }] });
    for (const [method, lineOf] of [
      ["POST", line],
      ["PUT", (n: number) => `{"require":${line(n)}}`],
    ] as const) {
      const reply = await send(table, [1, 2, 3, 4].map(lineOf).join("\n\n"), { method });
      expect(reply).toMatchObject({ status: 403, body: { details: { line: 5 } } });
    }
    expect(await countOf(server, table)).toBe(0);
    expect((await send(table, line(1))).body.records).toEqual([{ id: 1 }]);
    expect(await rowsOf(server, table)).toEqual([["c1", 1, 2]]);
    await setRules(server, place.doc, {});
  });

  test("an unknown table, with any number of lines", async () => {
    for (const count of [1, FULL + 1]) {
      const reply = await send(`${place.doc}/tables/Nope`, lines(count).join("\n"));
      expect(reply).toMatchObject({ status: 404, body: { error: 'Table not found "Nope"' } });
    }
  });

  test("lines and bodies beyond the limits", async () => {
    await using small = await testApp({ flags: { "max-body": "1000", "max-upload": "5000" } });
    const other = await createSharedFixture(small);
    const table = await lineTable(small, other);
    const post = (raw: string) => small.call("owner", "POST", `${table}/records`, undefined, { raw, headers: NDJSON });
    const long = JSON.stringify({ City: "x".repeat(1000) });
    expect(await post(`${line(1)}\n${long}`)).toMatchObject({ status: 413, body: { details: { line: 2 } } });
    expect(await post(lines(1000).join("\n"))).toMatchObject({ status: 413 });
    expect(await countOf(small, table)).toBe(0);
    // Few lines, but more than a JSON body may have.
    expect((await post(lines(50).join("\n"))).status).toBe(202);
    await small.app.ctx.jobs.whenIdle();
    expect(await countOf(small, table)).toBe(50);
  });
});
