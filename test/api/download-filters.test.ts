/** The parameter `filter` of downloads: formats, kinds of filters, and access rules. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { unzipSync } from "fflate";
import { setRules } from "../helpers/access-rules.ts";
import { type Caller, testApp, type TestApp } from "../helpers/app.ts";
import { createSharedFixture, type DocumentFixture } from "../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;

const COLUMNS = [
  { id: "Title", fields: { type: "Text" } },
  { id: "Pages", fields: { type: "Int" } },
  { id: "Bought", fields: { type: "Date" } },
  { id: "Tags", fields: { type: "ChoiceList" } },
  { id: "Author", fields: { type: "Ref:People" } },
  { id: "Half", fields: { type: "Numeric", isFormula: true, formula: "$Pages / 2" } },
  { id: "Shelf", fields: { type: "Text" } },
];
const BOOKS = [
  { Title: "Ash", Pages: 30, Bought: "2024-05-01", Tags: ["L", "old", "tall"], Author: 1, Shelf: "north" },
  { Title: "Elm", Pages: 10, Bought: "2023-01-31", Tags: ["L", "old"], Author: 2, Shelf: "south" },
  { Title: "Fir", Pages: 20, Bought: null, Tags: null, Author: 1, Shelf: "north" },
  { Title: "Yew", Pages: 40, Bought: "2024-12-31", Tags: ["L", "tall"], Author: 0, Shelf: "" },
];

beforeAll(async () => {
  server = await testApp();
  place = await createSharedFixture(server);
  const { must } = server;
  const people = { id: "People", columns: [{ id: "Name", fields: { type: "Text" } }] };
  await must("POST", `${place.doc}/tables`, { tables: [people] });
  await must("POST", `${place.doc}/tables`, { tables: [{ id: "Books", columns: COLUMNS }] });
  const named = [{ fields: { Name: "Ann" } }, { fields: { Name: "Bob" } }];
  await must("POST", `${place.doc}/tables/People/records`, { records: named });
  await must("POST", `${place.doc}/tables/Books/records`, { records: BOOKS.map((fields) => ({ fields })) });
  await setRules(server, place.doc, {
    // The viewer does not see Fir, and Shelf only of Elm. The editor does not see who wrote what.
    "Books:*": [{ formula: "user.Access == VIEWER and rec.Title == 'Fir'", permissions: "-R" }],
    "Books:Shelf": [{ formula: "user.Access == VIEWER and rec.Title != 'Elm'", permissions: "-R" }],
    "Books:Author": [{ formula: "user.Access == EDITOR", permissions: "-R" }],
    "People:*": [{ formula: "user.Access == VIEWER and rec.Name == 'Ann'", permissions: "-R" }],
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const FORMATS = ["csv", "tsv", "dsv", "xlsx"] as const;
type Format = (typeof FORMATS)[number];

/** Sends a request for a download, and returns its status, and the titles in it or the code of the error. */
async function download(as: Caller, format: Format, query: Readonly<Record<string, string>>): Promise<unknown[]> {
  const headers = { Host: "quern.test", Authorization: `Bearer ${server.keys[as as "owner"]}` };
  const url = `http://quern.test${place.doc}/download/${format}?${new URLSearchParams(query).toString()}`;
  const answer = await server.app.handle(new Request(url, { headers }));
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const text = (part: Uint8Array): string => new TextDecoder().decode(part);
  if (answer.status !== 200) {
    const { details } = JSON.parse(text(bytes)) as { details?: { code?: string } };
    return [answer.status, details?.code];
  }
  const content = format === "xlsx" ? Object.values(unzipSync(bytes)).map(text).join("\n") : text(bytes);
  return [200, [...new Set(content.match(/\b(Ash|Elm|Fir|Yew)\b/g))]];
}

const filtered = (as: Caller, format: Format, filter: unknown): Promise<unknown[]> =>
  download(as, format, { tableId: "Books", filter: typeof filter === "string" ? filter : JSON.stringify(filter) });

describe.each(FORMATS)("%s", (format) => {
  test.each<[filter: unknown, titles: string[]]>([
    [{}, ["Ash", "Elm", "Fir", "Yew"]],
    ["", ["Ash", "Elm", "Fir", "Yew"]],
    [{ Title: ["Elm", "Yew"] }, ["Elm", "Yew"]],
    [{ Title: [] }, []],
    [{ Pages: { gt: 10, lte: 30 } }, ["Ash", "Fir"]],
    [{ Half: { gte: 15 } }, ["Ash", "Yew"]],
    [{ Bought: { gte: "2024-01-01" } }, ["Ash", "Yew"]],
    [{ Bought: { empty: true } }, ["Fir"]],
    [{ Tags: { hasAll: ["old", "tall"] } }, ["Ash"]],
    [{ "Author.Name": { eq: "Ann" } }, ["Ash", "Fir"]],
    [{ Author: { empty: true } }, ["Yew"]],
    [{ or: [{ Pages: { lt: 15 } }, { not: { Title: { matches: "^[A-F]" } } }] }, ["Elm", "Yew"]],
    [{ id: [2, 99] }, ["Elm"]],
  ])("with the filter %j contains %j", async (filter, titles) => {
    expect(await filtered("owner", format, filter)).toEqual([200, titles]);
  });

  test.each<[filter: unknown, code: string]>([
    ["{", "filter.invalid"],
    [{ Title: 1 }, "filter.invalid"],
    [{ Nope: [1] }, "column.unknown"],
    [{ "Title.Name": ["x"] }, "column.unknown"],
    [{ Pages: { near: 1 } }, "filter.operator"],
    [{ Pages: { gt: "many" } }, "filter.operand"],
    [{ Title: { matches: "(" } }, "filter.operand"],
  ])("refuses the filter %j with %s", async (filter, code) => {
    expect(await filtered("owner", format, filter)).toEqual([400, code]);
  });

  test.each<[as: Caller, filter: unknown, answer: unknown[]]>([
    ["viewer", {}, [200, ["Ash", "Elm", "Yew"]]],
    ["viewer", { Title: ["Fir"] }, [200, []]],
    ["viewer", { Pages: { eq: 20 } }, [200, []]],
    ["viewer", { not: { Pages: { eq: 10 } } }, [200, ["Ash", "Yew"]]],
    // A hidden cell is neither equal nor unequal to a value.
    ["viewer", { Shelf: { contains: "o" } }, [200, ["Elm"]]],
    ["viewer", { Shelf: ["north", "south"] }, [200, ["Elm"]]],
    ["viewer", { not: { Shelf: { eq: "south" } } }, [200, []]],
    // An unreadable target is an empty reference.
    ["viewer", { "Author.Name": { eq: "Ann" } }, [200, []]],
    ["viewer", { "Author.Name": { eq: "Bob" } }, [200, ["Elm"]]],
    ["editor", { Title: ["Ash", "Fir"] }, [200, ["Ash", "Fir"]]],
    ["editor", { Author: [1] }, [400, "column.unknown"]],
    ["editor", { "Author.Name": { eq: "Ann" } }, [400, "column.unknown"]],
    ["stranger", { Title: ["Ash"] }, [403, "access.view_denied"]],
    ["stranger", { Nope: ["Ash"] }, [403, "access.view_denied"]],
  ])("as the %s with the filter %j answers %j", async (as, filter, answer) => {
    expect(await filtered(as, format, filter)).toEqual(answer);
  });
});

test.each(FORMATS)("%s refuses a filter without a table, and beside a widget", async (format) => {
  const filter = JSON.stringify({ Title: ["Elm"] });
  expect((await download("owner", format, { filter }))[0]).toBe(400);
  expect((await download("owner", format, { filter, tableId: "Books", viewSection: "1" }))[0]).toBe(400);
});
