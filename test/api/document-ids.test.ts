/** The three forms of a document's id, in paths and in responses. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { describeApi } from "../../src/http/openapi.ts";
import { routes } from "../../src/http/routes.ts";
import { shortIdOf, uuidOfShortId } from "../../src/lib/short-id.ts";
import { sampleDocument, testApp, type Reply, type Sample, type TestApp, USERS } from "../helpers/app.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Every route that reads a document, except for event streams, which do not end. */
const READS = routes
  .filter(({ spec }) => spec.method === "get" && spec.path.includes("{docId}") && spec.access.isStream !== true)
  .map(({ spec }) => spec.path);

/** Returns a route's path for a document id. */
const filled = (path: string, docId: string): string => {
  const values: Record<string, string> = { docId, docId2: docId, org: "team", tableId: "Table1", colId: "A" };
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "1");
};

describe("paths take the short form of a document's UUID", () => {
  let server: TestApp;
  let sample: Sample;
  beforeAll(async () => {
    server = await testApp();
    sample = await sampleDocument(server);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.each(READS)("%s", async (path) => {
    const read = async (id: string): Promise<[number, unknown]> => {
      const { status, body } = await server.call("owner", "GET", filled(path, id));
      return [status, body];
    };
    const isArchive = path.includes("archive") || path.includes("xlsx");
    const [status, body] = await read(sample.doc);
    const [shortStatus, shortBody] = await read(shortIdOf(sample.doc));
    expect(shortStatus).toBe(status);
    // These contain their time of creation.
    if (!isArchive) expect(shortBody).toEqual(body);
  });

  test("in writes, and for the source of a copy", async () => {
    const short = shortIdOf(sample.doc);
    await server.must("POST", `/api/docs/${short}/tables/Table1/records`, { records: [{ fields: { A: 1 } }] });
    const rows = await server.must(`GET`, `/api/docs/${sample.doc}/tables/Table1/records`);
    expect(rows).toMatchObject({ records: [{ fields: { A: 1 } }] });
    const { workspaceId } = sample;
    const copy = await server.must<string>("POST", "/api/docs", { workspaceId, sourceDocumentId: short });
    expect(copy).toMatch(UUID);
    await server.must("POST", `/api/docs/${copy}/replace`, { sourceDocId: short });
  });

  test("and of none that does not exist, or belongs to another site", async () => {
    const missing = shortIdOf("00000000-0000-4000-8000-000000000000");
    expect((await server.call("owner", "GET", `/api/docs/${missing}`)).status).toBe(404);
    await server.must("POST", "/o/docs/api/orgs", { name: "Other", domain: "other" });
    expect((await server.call("owner", "GET", `/o/other/api/docs/${shortIdOf(sample.doc)}`)).status).toBe(404);
    expect((await server.call("stranger", "GET", `/api/docs/${shortIdOf(sample.doc)}`)).status).toBe(403);
  });

  test("that no urlId may have the form of", async () => {
    for (const urlId of [shortIdOf(sample.doc), shortIdOf(crypto.randomUUID())]) {
      expect((await server.call("owner", "PATCH", `/api/docs/${sample.doc}`, { urlId })).status).toBe(400);
    }
    // 22 characters, but not a UUID: too large, or with letters that the short form does not use.
    for (const urlId of ["Z".repeat(22), "meetingMinutesOct-2026"]) {
      await server.must("PATCH", `/api/docs/${sample.doc}`, { urlId });
      expect(await server.must("GET", `/api/docs/${urlId}`)).toMatchObject({ uuid: sample.doc });
    }
  });

  test("except that an existing urlId still leads to its document", async () => {
    const urlId = shortIdOf(crypto.randomUUID());
    const { home } = server.app.ctx;
    const { id } = await server.must<{ id: number }>("GET", `/api/docs/${sample.doc}`);
    const { orgId } = home.reach.document(sample.doc, { userId: 0, domain: null }) ?? { orgId: 0 };
    home.transaction(() => {
      home.urlIds.assign(orgId, urlId, id);
      home.documents.change(id, { urlId });
    });
    expect(await server.must("GET", `/api/docs/${urlId}`)).toMatchObject({ uuid: sample.doc });
  });
});

interface OpenApi {
  readonly paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>;
  readonly components: { schemas: Record<string, unknown> };
}

/** Returns the operations whose responses contain a document id, by the OpenAPI description. */
function operationsWithIds(): string[] {
  const { paths, components } = describeApi(routes, "/") as unknown as OpenApi;
  const hasId = (schema: unknown): boolean => {
    const text = JSON.stringify(schema ?? null);
    const names = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = ""]) => name);
    return names.some((name) => name === "DocumentId" || hasId(components.schemas[name]));
  };
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ responses }) => hasId(responses["200"]))
    .map(({ operationId }) => operationId);
}

describe("with QUERN_DOC_IDS=short, responses carry the short form:", () => {
  let server: TestApp;
  let sample: { readonly workspaceId: number; readonly doc: string; readonly uuid: string };
  beforeAll(async () => {
    server = await testApp({ flags: { "doc-ids": "short", scim: "on" } });
    const { workspaceId, doc } = await sampleDocument(server);
    sample = { workspaceId, doc, uuid: uuidOfShortId(doc) ?? "" };
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const must = async <T>(method: string, path: string, body?: unknown): Promise<T> =>
    server.must<T>(method, path, body);
  const make = () => must<string>("POST", `/api/workspaces/${sample.workspaceId}/docs`, { name: "Made" });
  const otherWorkspace = () => must<number>("POST", "/api/orgs/team/workspaces", { name: "Other" });
  const upload = (path: string, fields: Record<string, string> = {}): Promise<Reply> => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set("upload", new File(["A,B\n1,2\n"], "rows.csv"));
    return server.call("owner", "POST", path, undefined, { raw: form });
  };

  /** For each operation, the document id in its response, and the id in another request that must be equal. */
  const OPERATIONS: Record<string, () => Promise<[given: unknown, expected?: string]>> = {
    createDocument: async () => [await make()],
    makeDocument: async () => [await must("POST", "/api/docs", { workspaceId: sample.workspaceId })],
    importDocument: async () => {
      const { body } = await upload(`/api/workspaces/${sample.workspaceId}/import`);
      expect(body.title).toBe("rows");
      return [body.id];
    },
    copyDocument: async () => [
      await must("POST", `/api/docs/${sample.doc}/copy`, { workspaceId: sample.workspaceId, documentName: "Copy" }),
    ],
    describeDocument: async () => {
      const { id, uuid } = await must<{ id: string; uuid: string }>("GET", `/api/docs/${sample.doc}`);
      expect(uuid).toBe(sample.uuid);
      return [id, sample.doc];
    },
    modifyDocument: async () => [await must("PATCH", `/api/docs/${sample.doc}`, { name: "Sample 2" }), sample.doc],
    moveDocument: async () => {
      const doc = await make();
      return [await must("PATCH", `/api/docs/${doc}/move`, { workspace: await otherWorkspace() }), doc];
    },
    removeDocument: async () => {
      const doc = await make();
      expect(await must("POST", `/api/docs/${doc}/remove`)).toBe(null);
      return [await must("POST", `/api/docs/${doc}/remove?permanent=1`), doc];
    },
    deleteDocument: async () => {
      const doc = await make();
      return [await must("DELETE", `/api/docs/${doc}`), doc];
    },
    listWorkspaces: async () => {
      const workspaces = await must<{ id: number; docs: { id: string }[] }[]>("GET", "/api/orgs/team/workspaces");
      const docs = workspaces.find(({ id }) => id === sample.workspaceId)?.docs ?? [];
      return [docs.find(({ id }) => id === sample.doc)?.id, sample.doc];
    },
    describeWorkspace: async () => {
      const { docs } = await must<{ docs: { id: string }[] }>("GET", `/api/workspaces/${sample.workspaceId}`);
      return [docs.find(({ id }) => id === sample.doc)?.id, sample.doc];
    },
    searchDocuments: async () => {
      const { name } = await must<{ name: string }>("GET", `/api/docs/${sample.doc}`);
      const { documents } = await must<{ documents: { id: string }[] }>(
        "GET",
        `/api/search?q=${encodeURIComponent(name)}&limit=100`,
      );
      return [documents.find(({ id }) => id === sample.doc)?.id, sample.doc];
    },
    listRecentDocuments: async () => {
      const { ctx } = server.app;
      ctx.lastVisits.record(ctx.home.users.byEmail(USERS.owner.email)?.id ?? 0, sample.uuid);
      const { documents } = await must<{ documents: { id: string }[] }>("GET", "/api/recent");
      return [documents[0]?.id, sample.doc];
    },
    listSnapshots: async () => {
      const listed = await must<{ snapshots: { docId: string }[] }>("GET", `/api/docs/${sample.doc}/snapshots`);
      return [listed.snapshots[0]?.docId, sample.doc];
    },
  };

  test("the operations below are all operations with ids", () => {
    expect(operationsWithIds().toSorted()).toEqual(Object.keys(OPERATIONS).toSorted());
  });

  test.each(Object.keys(OPERATIONS))("%s", async (name) => {
    const [given, expected] = (await OPERATIONS[name]?.()) ?? [];
    expect(given).toMatch(/^[1-9a-km-zA-HJ-NP-Z]{22}$/);
    if (expected !== undefined) expect(given).toBe(expected);
    else expect(await must("GET", `/api/docs/${String(given)}`)).toMatchObject({ id: given });
  });

  test("a document from a form, and a copy, at the path that creates them", async () => {
    const { body } = await upload("/api/docs", { workspaceId: String(sample.workspaceId) });
    expect(uuidOfShortId(body)).toMatch(UUID);
    const source = { workspaceId: sample.workspaceId, sourceDocumentId: sample.doc };
    expect(uuidOfShortId(await must("POST", "/api/docs", source))).toMatch(UUID);
  });

  test.each(
    routes.filter(({ spec }) => spec.method === "get" && spec.access.isStream !== true).map(({ spec }) => spec.path),
  )("GET %s carries no UUID of a document, other than under `uuid`", async (path) => {
    const { body, status } = await server.call("owner", "GET", filled(path, sample.doc));
    expect(status).toBeLessThan(500);
    const text = JSON.stringify(body, (key, value: unknown) => (key === "uuid" ? undefined : value));
    expect(text).not.toContain(sample.uuid);
  });
});
