import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { unzipSync } from "fflate";
import type { WrittenRules } from "../doc/rules/ruled.ts";
import { type Caller, testApp, type TestApp } from "../helpers/app.ts";
import { setRules as putRules } from "../helpers/access-rules.ts";
import { createDocumentFixture, type DocumentFixture, runSteps, statusesByCaller } from "../helpers/request-steps.ts";

let server: TestApp;
let place: DocumentFixture;
let doc: string;
/** Another document, with nothing hidden. */
let other: string;

const COLUMNS = [
  { id: "Title", fields: { type: "Text" } },
  { id: "Team", fields: { type: "Text" } },
  { id: "Pages", fields: { type: "Int" } },
];
const BOOKS = [
  { Title: "Ash", Team: "red", Pages: 30 },
  { Title: "Elm", Team: "blue", Pages: 10 },
  { Title: "Fir", Team: "red", Pages: 20 },
];

beforeAll(async () => {
  server = await testApp({ flags: { "cors-origins": "https://elm.example" } });
  place = await createDocumentFixture(server);
  doc = place.doc;
  const { must } = server;
  const uuid = await must<string>("POST", `${place.shelf}/docs`, { name: "Other" });
  other = `/o/docs/api/docs/${uuid}`;
  const users = { "Emil@example.com": "editors", "vito@example.com": "viewers", "everyone@getgrist.com": "viewers" };
  for (const one of [doc, other]) await must("PATCH", `${one}/access`, { delta: { users } });
  const members = { id: "Members", columns: [{ id: "Mail" }, { id: "Team" }] };
  await must("POST", `${doc}/tables`, { tables: [{ id: "Books", columns: COLUMNS }, members] });
  await must("POST", `${doc}/tables/Books/records`, { records: BOOKS.map((fields) => ({ fields })) });
  await must("POST", `${doc}/tables/Members/records`, {
    records: [
      { fields: { Mail: "EMIL@example.com", Team: "red" } },
      { fields: { Mail: "vito@example.com", Team: "blue" } },
    ],
  });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Replaces the rules. */
const setRules = (rules: WrittenRules) => putRules(server, doc, rules);

interface Titles {
  records: { fields: { Title: string } }[];
}

const titles = async (as: Caller, query = "", headers: Record<string, string> = {}): Promise<string[]> => {
  const { body } = await server.call(as, "GET", `${doc}/tables/Books/records${query}`, undefined, { headers });
  return (body as Titles).records.map(({ fields }) => fields.Title);
};

const EVERYBODY: Caller[] = ["owner", "editor", "viewer", "anon"];

const idOf = (address: string) => address.split("/").at(-1);

/** Requests that require permission to copy the whole document. */
const WHOLE = (): [method: string, path: string][] => [
  ["GET", `${doc}/compare?left=HEAD~1&right=HEAD`],
  ["GET", `${doc}/compare/${idOf(other)}`],
  ["GET", `${doc}/compare/${idOf(other)}?detail=true`],
  ["GET", `${other}/compare/${idOf(doc)}`],
  ["GET", `${doc}/download`],
];

/** Sends all of these as a caller, and returns the statuses. */
async function whole(as: Caller): Promise<number[]> {
  const got: number[] = [];
  for (const step of WHOLE()) got.push(...(await statusesByCaller(server, [as], step)));
  return got;
}

const ALL = [200, 200, 200, 200, 200];
const NONE = [403, 403, 403, 403, 403];

describe("whole documents", () => {
  test("are accessible to all users while there are no rules", async () => {
    await setRules({});
    for (const as of ["viewer", "anon"] as const) expect({ as, got: await whole(as) }).toEqual({ as, got: ALL });
  });

  test("require an owner once there are any rules, even if they hide nothing", async () => {
    await setRules({ "Books:*": [{ formula: "user.Access == EDITOR", permissions: "-D" }] });
    expect(await whole("owner")).toEqual(ALL);
    for (const as of ["editor", "viewer", "anon"] as const)
      expect({ as, got: await whole(as) }).toEqual({ as, got: NONE });
    const made = { workspaceId: place.shelfId, documentName: "Mine" };
    await runSteps(server, [
      ["editor", "POST", `${doc}/copy`, made, 403],
      ["editor", "POST", "/o/docs/api/docs", { ...made, sourceDocumentId: place.uuid }, 403],
      ["editor", "GET", `${doc}/download?template=true`, undefined, 403],
      ["editor", "GET", `${doc}/download?nohistory=true`, undefined, 403],
      ["owner", "POST", `${doc}/copy`, { ...made, asTemplate: true }, 200],
      ["owner", "POST", "/o/docs/api/docs", { ...made, sourceDocumentId: place.uuid }, 200],
      ["viewer", "GET", `${doc}/states`, undefined, 200],
      ["viewer", "GET", doc, undefined, 200],
    ]);
  });

  test("can be opened to other users", async () => {
    await setRules({
      "Books:*": [{ formula: "user.Access != OWNER and rec.Pages > 15", permissions: "-R" }],
      "*SPECIAL:FullCopies": [{ formula: "user.Access == EDITOR", permissions: "+R" }],
    });
    expect(await titles("editor")).toEqual(["Elm"]);
    expect([await whole("editor"), await whole("viewer")]).toEqual([ALL, NONE]);
  });

  test("can be closed although nothing is hidden", async () => {
    await setRules({
      "*SPECIAL:AccessRules": [{ permissions: "+R" }],
      "*SPECIAL:DocCopies": [{ formula: "user.Access == VIEWER", permissions: "-R" }],
    });
    expect(await titles("viewer")).toEqual(["Ash", "Elm", "Fir"]);
    expect([await whole("editor"), await whole("viewer")]).toEqual([ALL, NONE]);
  });
});

describe("user attributes", () => {
  const teams: WrittenRules = {
    "*:*": [
      { userAttributes: JSON.stringify({ name: "Who", tableId: "Members", lookupColId: "Mail", charId: "Email" }) },
    ],
    "Books:*": [{ formula: "user.Access != OWNER and user.Who.Team != rec.Team", permissions: "-R" }],
  };

  test("are looked up in a table of the document, in its current state", async () => {
    await setRules(teams);
    expect(await titles("editor")).toEqual(["Ash", "Fir"]);
    expect(await titles("viewer")).toEqual(["Elm"]);
    expect(await titles("anon")).toEqual([]);
    expect(await titles("owner")).toEqual(["Ash", "Elm", "Fir"]);
    await server.must("PATCH", `${doc}/tables/Members/records`, { records: [{ id: 2, fields: { Team: "red" } }] });
    expect(await titles("viewer", "?sort=Pages&limit=1")).toEqual(["Fir"]);
    await server.must("PATCH", `${doc}/tables/Members/records`, { records: [{ id: 2, fields: { Team: "blue" } }] });
  });

  test("include the link key and the origin", async () => {
    await setRules({
      "Books:*": [
        { formula: "user.Access == OWNER or rec.Team == user.LinkKey.team", permissions: "+R" },
        { formula: "user.Origin == 'https://elm.example' and rec.Title == 'Elm'", permissions: "+R" },
        { permissions: "-R" },
      ],
    });
    expect(await titles("viewer")).toEqual([]);
    expect(await titles("viewer", "?team_=red")).toEqual(["Ash", "Fir"]);
    expect(await titles("anon", "?team_=blue")).toEqual(["Elm"]);
    expect(await titles("viewer", "", { Origin: "https://elm.example" })).toEqual(["Elm"]);
  });

  test("a cached response is not valid for another caller with other visible data", async () => {
    await setRules(teams);
    const path = `${doc}/tables/Books/records`;
    const tags = new Map<string, string>();
    const bodies = new Map<string, string>();
    const asked: [as: Caller, query: string, headers: Record<string, string>][] = [
      ...EVERYBODY.map((as): [Caller, string, Record<string, string>] => [as, "", {}]),
      ["viewer", "?team_=red", {}],
      ["viewer", "?team_=blue", {}],
      ["viewer", "", { Origin: "https://elm.example" }],
    ];
    for (const [as, query, headers] of asked) {
      const reply = await server.call(as, "GET", path + query, undefined, { headers });
      expect(reply.status).toBe(200);
      const tag = reply.headers.get("etag") ?? "";
      tags.set(JSON.stringify([as, query, headers]), tag);
      expect(bodies.get(tag) ?? JSON.stringify(reply.body)).toBe(JSON.stringify(reply.body));
      bodies.set(tag, JSON.stringify(reply.body));
    }
    expect(bodies.size).toBeGreaterThan(3);
    const held = [...tags.values()].join(", ");
    for (const [as, query, headers] of asked) {
      const own = tags.get(JSON.stringify([as, query, headers])) ?? "";
      const others = held
        .split(", ")
        .filter((tag) => tag !== own)
        .join(", ");
      const again = async (known: string) =>
        (await server.call(as, "GET", path + query, undefined, { headers: { ...headers, "If-None-Match": known } }))
          .status;
      expect([as, query, await again(own), await again(others)]).toEqual([as, query, 304, 200]);
    }
    // All inputs of visibility change the ETag: rules, and looked-up attributes.
    const known = { headers: { "If-None-Match": tags.get(JSON.stringify(["editor", "", {}])) ?? "" } };
    await server.must("PATCH", `${doc}/tables/Members/records`, { records: [{ id: 1, fields: { Team: "green" } }] });
    const lookedUp = await server.call("editor", "GET", path, undefined, known);
    expect([lookedUp.status, lookedUp.body]).toEqual([200, { records: [] }]);
    await setRules({ "Books:*": [{ permissions: "-R" }] });
    expect((await server.call("editor", "GET", path, undefined, known)).status).toBe(403);
    await setRules({});
    expect((await server.call("editor", "GET", path, undefined, known)).status).toBe(200);
    await server.must("PATCH", `${doc}/tables/Members/records`, { records: [{ id: 1, fields: { Team: "red" } }] });
  });
});

describe("downloads of tables", () => {
  const file = async (as: Caller, path: string) =>
    (await server.call(as, "GET", `${doc}/download/${path}`)).body as string;
  const sectionOf = async (table: string) => {
    const { records } = await server.must<{
      records: { id: number; fields: { tableId: string; rawViewSectionRef: number } }[];
    }>("GET", `${doc}/tables/_grist_Tables/records`);
    return records.find(({ fields }) => fields.tableId === table)?.fields.rawViewSectionRef ?? 0;
  };

  test("a hidden table does not exist", async () => {
    await setRules({ "Books:*": [{ formula: "user.Access != OWNER", permissions: "-R" }] });
    const section = await sectionOf("Books");
    for (const path of [
      "csv?tableId=Books",
      "tsv?tableId=Books",
      "dsv?tableId=Books",
      "xlsx?tableId=Books",
      "table-schema?tableId=Books",
      `csv?viewSection=${section}&tableId=Books`,
      `xlsx?viewSection=${section}&tableId=Books`,
    ]) {
      const got = await statusesByCaller(server, EVERYBODY, ["GET", `${doc}/download/${path}`]);
      expect({ path, got }).toEqual({ path, got: [200, 404, 404, 404] });
    }
    expect(await statusesByCaller(server, EVERYBODY, ["GET", `${doc}/download/xlsx`])).toEqual([200, 200, 200, 200]);
  });

  test("hidden rows and columns are omitted", async () => {
    await setRules({
      "Books:Team": [{ formula: "user.Access != OWNER", permissions: "-R" }],
      "Books:*": [{ formula: "user.Access != OWNER and rec.Pages == 30", permissions: "-R" }],
    });
    expect(await file("viewer", "csv?tableId=Books")).toBe("Title,Pages\nElm,10\nFir,20\n");
    expect(await file("viewer", "tsv?tableId=Books")).toBe("Title\tPages\nElm\t10\nFir\t20\n");
    expect(await file("owner", "csv?tableId=Books")).toBe("Title,Team,Pages\nAsh,red,30\nElm,blue,10\nFir,red,20\n");
    const { body } = await server.call("viewer", "GET", `${doc}/download/table-schema?tableId=Books`);
    expect(body.schema.fields.map(({ name }: { name: string }) => name)).toEqual(["Title", "Pages"]);
  });

  test("hidden cells are censored", async () => {
    await setRules({
      "Books:Team,Pages": [{ formula: "user.Access != OWNER and rec.Title == 'Elm'", permissions: "-R" }],
    });
    expect(await file("viewer", "csv?tableId=Books")).toBe(
      "Title,Team,Pages\nAsh,red,30\nElm,CENSORED,CENSORED\nFir,red,20\n",
    );
  });

  test("workbooks contain only data visible to the caller", async () => {
    await setRules({
      "Members:*": [{ formula: "user.Access != OWNER", permissions: "-R" }],
      "Books:Team,Pages": [{ formula: "user.Access != OWNER and rec.Title == 'Elm'", permissions: "-R" }],
      "Books:*": [{ formula: "user.Access != OWNER and rec.Title == 'Fir'", permissions: "-R" }],
    });
    const texts = async (as: Caller, path: string): Promise<string[]> => {
      const address = `http://quern.test${doc}/download/${path}`;
      const key = as === "owner" || as === "viewer" ? server.keys[as] : "";
      const request = new Request(address, { headers: { Host: "quern.test", Authorization: `Bearer ${key}` } });
      const bytes = new Uint8Array(await (await server.app.handle(request)).arrayBuffer());
      const xml = Object.values(unzipSync(bytes)).map((part) => new TextDecoder().decode(part));
      return xml.flatMap((part) =>
        [...part.matchAll(/<t [^>]*>([^<]*)<|<v>([^<]*)</g)].map(([, t, v]) => t ?? v ?? ""),
      );
    };
    const books = ["Title", "Team", "Pages", "Ash", "red", "30", "Elm", "CENSORED", "CENSORED"];
    expect(await texts("viewer", "xlsx?tableId=Books")).toEqual(books);
    expect(await texts("viewer", "xlsx")).toEqual(["A", "B", "C", ...books]);
    expect(await texts("owner", "xlsx")).toEqual(expect.arrayContaining(["Fir", "blue", "Mail", "vito@example.com"]));
  });

  test("filters and sort order of a widget reveal nothing hidden", async () => {
    const section = await sectionOf("Books");
    const { columns } = await server.must<{ columns: { id: string; fields: { colRef: number } }[] }>(
      "GET",
      `${doc}/tables/Books/columns`,
    );
    const ref = (id: string) => columns.find((column) => column.id === id)?.fields.colRef ?? 0;
    const path = (more: Record<string, unknown>) =>
      `csv?viewSection=${section}&${Object.entries(more)
        .map(([name, value]) => `${name}=${encodeURIComponent(JSON.stringify(value))}`)
        .join("&")}`;
    const red = { filters: [{ colRef: ref("Team"), filter: JSON.stringify({ included: ["red"] }) }] };
    const linked = { linkingFilter: { filters: { Team: ["red"] }, operations: { Team: "in" } } };
    const sorted = { activeSortSpec: [ref("Team")] };
    const all = "Title,Pages\nAsh,30\nElm,10\nFir,20\n";
    await setRules({ "Books:Team": [{ formula: "user.Access == VIEWER", permissions: "-R" }] });
    expect(await file("owner", path(red))).toBe("Title,Team,Pages\nAsh,red,30\nFir,red,20\n");
    expect(await file("viewer", path(red))).toBe(all);
    expect(await file("viewer", path(sorted))).toBe(all);
    expect(await statusesByCaller(server, ["viewer", "owner"], ["GET", `${doc}/download/${path(linked)}`])).toEqual([
      400, 200,
    ]);
    await setRules({ "Books:Team": [{ formula: "user.Access == VIEWER and rec.Pages == 30", permissions: "-R" }] });
    expect(await file("viewer", path(red))).toBe("Title,Team,Pages\nFir,red,20\n");
    expect(await file("viewer", path(linked))).toBe("Title,Team,Pages\nFir,red,20\n");
    expect(await file("viewer", path(sorted))).toBe("Title,Team,Pages\nAsh,CENSORED,30\nElm,blue,10\nFir,red,20\n");
    await setRules({ "Books:*": [{ formula: "user.Access == VIEWER and rec.Pages == 30", permissions: "-R" }] });
    expect(await file("viewer", path(red))).toBe("Title,Team,Pages\nFir,red,20\n");
  });
});

describe("bodies", () => {
  beforeEach(() => setRules({ "Books:Team": [{ formula: "user.Access == VIEWER", permissions: "-R" }] }));

  test("requests by POST apply the rules as well", async () => {
    const path = `${doc}/tables/Books/records/list`;
    await runSteps(server, [
      ["viewer", "POST", path, { filter: { Team: ["red"] } }, 400],
      ["viewer", "POST", path, { sort: ["Team"] }, 400],
      ["editor", "POST", path, { filter: { Team: ["red"] } }, 200],
      ["viewer", "GET", `${doc}/tables/Books/records?sort=Team`, undefined, 400],
      ["viewer", "GET", `${doc}/tables/Books/data?filter=${encodeURIComponent('{"Team":["red"]}')}`, undefined, 400],
    ]);
    const { body } = await server.call("viewer", "POST", path, { hidden: true, limit: 1 });
    expect(body.records).toEqual([{ id: 1, fields: { manualSort: 1, Title: "Ash", Pages: 30 } }]);
  });
});

describe("imports", () => {
  const importing = async (as: Caller, query: string, text: string) => {
    const raw = new FormData();
    raw.append("upload", new File([text], "more.csv"));
    const { status, body } = await server.call(as, "POST", `${doc}/import${query}`, undefined, { raw });
    return { status, body: body as { tables: { columns: { id: string; type: string; kind: string }[] }[] } };
  };

  test("reveal nothing about hidden tables and columns, and do not write to others of the same name", async () => {
    await setRules({
      "Members:*": [{ formula: "user.Access != OWNER", permissions: "-R" }],
      "Books:Team": [{ formula: "user.Access != OWNER", permissions: "-R" }],
    });
    const text = "Title,Team\nOak,green\n";
    for (const dry of ["&dryRun=1", ""]) {
      expect((await importing("editor", `?table=Members${dry}`, "Mail\nx\n")).status).toBe(404);
      expect((await importing("editor", `?table=Books${dry}`, text)).status).toBe(400);
    }
    const planned = await importing("editor", "?table=Books&addColumns=1&dryRun=1", text);
    const kinds = planned.body.tables.flatMap(({ columns }) => columns.map(({ id, kind }) => [id, kind]));
    expect([planned.status, kinds]).toEqual([
      200,
      [
        ["Title", "existing"],
        ["Team2", "new"],
      ],
    ]);
    expect((await importing("owner", "?table=Books&dryRun=1", text)).status).toBe(200);
    expect(await titles("owner")).toEqual(["Ash", "Elm", "Fir"]);
  });
});
