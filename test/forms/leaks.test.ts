/** Tests that the link of a form opens nothing but its forms: all routes of the server, with the key in place of a document. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { verbs, type VerbName } from "../../src/hosts/verbs/verbs.ts";
import { routes } from "../../src/http/routes.ts";
import { openLink } from "../../src/services/forms/forms.ts";
import { type Caller, testApp, type TestApp } from "../helpers/app.ts";
import { columnRefs, formScene, type Scene } from "./scene.ts";

/** In every name and value that the form does not show. */
const SECRET = "Zyx9";

/** The routes of a link. */
const OPEN_ROUTES = [
  "GET forms/{section}",
  "GET tables/{tableId}/records",
  "POST tables/{tableId}/records",
  "POST tables/{tableId}/data",
  "POST attachments",
];

let server: TestApp;
let scene: Scene;
let section: string;

beforeAll(async () => {
  server = await testApp({ flags: { scim: "on" } });
  scene = await formScene(server);
  section = String(scene.section);
  const { doc, apply } = scene;
  const at = `/api/docs/${doc}`;
  await server.must("PATCH", at, { name: `${SECRET} document` });
  const secretTable = {
    id: `${SECRET}Table`,
    columns: [
      { id: `${SECRET}Column`, fields: { type: "Text", label: `${SECRET} label`, description: `${SECRET} text` } },
    ],
  };
  await server.must("POST", `${at}/tables`, { tables: [secretTable] });
  await server.must("POST", `${at}/tables/${SECRET}Table/records`, {
    records: [{ fields: { [`${SECRET}Column`]: `${SECRET} value` } }],
  });
  for (const table of ["Signup", "Teams"]) {
    await server.must("POST", `${at}/tables/${table}/columns`, {
      columns: [
        { id: `${SECRET}Hidden`, fields: { type: "Text" } },
        { id: `${SECRET}Trigger`, fields: { type: "Any", isFormula: false, formula: `"${SECRET}" + str(1 / 0)` } },
        { id: `${SECRET}Formula`, fields: { type: "Any", isFormula: true, formula: `"${SECRET}"` } },
      ],
    });
  }
  await server.must("POST", `${at}/tables/Signup/records`, {
    records: [{ fields: { Name: `${SECRET} member`, [`${SECRET}Hidden`]: SECRET } }],
  });
  const refs = await columnRefs(server, doc);
  const team = (await scene.fields())["Team"];
  await scene.setOptions("Team", {
    dropdownCondition: { text: `choice.${SECRET}Hidden == "${SECRET}"` },
    formRequired: false,
  });
  expect(team).toBeNumber();
  await apply(
    ["UpdateRecord", "_grist_Views", 1, { name: `${SECRET} page` }],
    ["AddRecord", "_grist_Shares", null, { linkId: `${SECRET}-link`, options: "", label: SECRET }],
    ["UpdateRecord", "_grist_Shares", scene.share, { label: SECRET, description: SECRET }],
    ["AddRecord", "_grist_ACLResources", -1, { tableId: "*", colIds: "*" }],
    [
      "AddRecord",
      "_grist_ACLRules",
      null,
      { resource: -1, aclFormula: `user.Name == "${SECRET}"`, permissionsText: "none" },
    ],
  );
  expect(refs["Signup"]).toBeNumber();
  const raw = new FormData();
  raw.append("upload", new File([SECRET], `${SECRET}.txt`));
  await server.call("owner", "POST", `${at}/attachments`, undefined, { raw });
});
afterAll(() => server[Symbol.asyncDispose]());

const BODIES: readonly unknown[] = [{}, [], { records: [{ id: 1, fields: {} }] }];

/** Sends a request in several forms, and expects that no answer has a secret; returns the statuses. */
async function probe(as: Caller, method: string, path: string): Promise<Set<number>> {
  const statuses = new Set<number>();
  for (const body of method === "GET" ? [undefined] : BODIES) {
    server.app.ctx.answerLimits.forget();
    const reply = await server.call(as, method, path, body);
    const text = JSON.stringify([reply.body, [...reply.headers]]);
    if (text.includes(SECRET)) throw new Error(`${method} ${path}: ${text}`);
    statuses.add(reply.status);
  }
  return statuses;
}

const VALUES: Record<string, string> = { tableId: "Signup", colId: "Name", rowId: "1", attachmentId: "1", docId2: "1" };
const filled = (path: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === "section" ? section : (VALUES[name] ?? "1")));

const inDocument = routes.filter(({ spec }) => spec.path.startsWith("/api/docs/{docId}"));
const named = inDocument.map(({ spec }) => {
  const rest = spec.path.slice("/api/docs/{docId}".length);
  return [`${spec.method.toUpperCase()} ${rest}`, spec.method.toUpperCase(), rest] as const;
});

describe("over a link", () => {
  test.each(named)("%s is closed, unless it is of the form", async (name, method, rest) => {
    const isOpen = OPEN_ROUTES.includes(name.replace(" /", " "));
    for (const as of ["anon", "owner", "stranger"] as const) {
      for (const base of [`/api/s/${scene.key}`, `/api/docs/s.${scene.key}`, `/o/team/API/Docs/S.${scene.key}`]) {
        const statuses = await probe(as, method, `${base}${filled(rest)}`);
        if (!isOpen) expect([base, ...statuses]).toEqual([base, 403]);
      }
      // The key is not the id of a document.
      expect([...(await probe(as, method, `/api/docs/${scene.key}${filled(rest)}`))]).toSatisfy((found: number[]) =>
        found.every((status) => [400, 401, 404].includes(status)),
      );
    }
  });

  test("links have no routes but the listed ones", () => {
    const ofLinks = routes.filter(({ spec }) => spec.path.startsWith("/api/s/"));
    const list = ofLinks.map(({ spec }) => `${spec.method.toUpperCase()} ${spec.path.replace("/api/s/{key}/", "")}`);
    expect(list.toSorted()).toEqual(OPEN_ROUTES.toSorted());
  });

  test("the open routes show the form and the rows that it offers, and nothing else", async () => {
    const at = `/api/s/${scene.key}`;
    expect([...(await probe("anon", "GET", `${at}/forms/${section}`))]).toEqual([200]);
    const tables = ["Signup", "Teams", "Table1", `${SECRET}Table`, "_grist_Tables", "_grist_Shares", "_grist_ACLRules"];
    for (const table of tables) {
      for (const query of ["", "?filter={}", `?sort=-${SECRET}Hidden`, "?limit=1", "?at=1", "?cellFormat=typed"]) {
        await probe("anon", "GET", `${at}/tables/${table}/records${query}`.replace(`${SECRET}Table`, "1"));
      }
    }
    const { body } = await server.call("anon", "GET", `${at}/tables/Teams/records`);
    expect(Object.keys(body.records[0].fields)).toEqual(["Title"]);
    for (const path of [
      `${at}/forms/1`,
      `${at}/forms/2`,
      `${at}/forms/9999`,
      `${at}/forms/x`,
      at,
      `${at}/`,
      `${at}/x`,
    ]) {
      await probe("anon", "GET", path);
    }
  });

  test("tables, columns and rows are refused alike, whether or not they exist", async () => {
    const refusal = async (method: string, path: string, body?: unknown) => {
      server.app.ctx.answerLimits.forget();
      const reply = await server.call("anon", method, `/api/s/${scene.key}/${path}`, body);
      return JSON.stringify([reply.status, reply.body]).replaceAll(/Missing|Zyx9Table|Zyx9Hidden/g, "?");
    };
    const record = (fields: object) => ({ records: [{ fields }] });
    for (const [method, path] of [
      ["GET", "records"],
      ["POST", "records"],
      ["POST", "data"],
    ] as const) {
      const body = method === "GET" ? undefined : path === "data" ? { A: [1] } : record({});
      const existing = await refusal(method, `tables/${SECRET}Table/${path}`, body);
      expect(await refusal(method, `tables/Missing/${path}`, body)).toBe(existing);
    }
    const existing = await refusal("POST", "tables/Signup/records", record({ [`${SECRET}Hidden`]: "x" }));
    expect(await refusal("POST", "tables/Signup/records", record({ Missing: "x" }))).toBe(existing);
    expect(await refusal("POST", "tables/Signup/records", record({ Team: 2 }))).toBe(
      await refusal("POST", "tables/Signup/records", record({ Team: 999 })),
    );
  });

  test("an answer is added in a document with rules, whose failing formulas stay hidden", async () => {
    server.app.ctx.answerLimits.forget();
    const reply = await server.call("anon", "POST", `/api/s/${scene.key}/tables/Signup/records`, {
      records: [{ fields: { Name: "visitor" } }],
    });
    expect([reply.status, JSON.stringify(reply.body).includes(SECRET)]).toEqual([200, false]);
  });
});

test("a grant over a link is accepted by the verbs of forms only", async () => {
  const { documents } = server.app.ctx;
  const { grant } = openLink(server.app.ctx, scene.key);
  const open = Object.entries(verbs).filter(([, verb]) => "overForms" in verb && verb.overForms === true);
  expect(open.map(([name]) => name).toSorted()).toEqual([
    "attachments.add",
    "attachments.locations",
    "attachments.put",
    "attachments.store",
    "forms.answer",
    "forms.check",
    "forms.linkedRows",
    "forms.mayUpload",
    "forms.readPublished",
    "forms.recordUploads",
    "idempotency.find",
  ]);
  for (const name of Object.keys(verbs) as VerbName[]) {
    if (open.some(([one]) => one === name)) continue;
    const refusal = await documents.call(grant, name, {}).catch((error: unknown) => error);
    expect([name, (refusal as { reason?: string }).reason]).toEqual([name, "access.denied"]);
  }
});
