/** Every verb that changes tables, columns or records has a dry run; in the context of one, no other verb can write. */
import { expect, test } from "bun:test";
import type { AppError } from "../../../src/errors.ts";
import type { Documents } from "../../../src/hosts/documents.ts";
import { changeOf } from "../../../src/hosts/observed-documents.ts";
import { type VerbName, verbs } from "../../../src/hosts/verbs/verbs.ts";
import { routes } from "../../../src/http/routes.ts";
import type { Context } from "../../../src/services/context.ts";
import { dryRunContext } from "../../../src/services/documents/dry-run.ts";
import { grantOf } from "../../doc/read/sample.ts";
import { sampleDocument, testApp } from "../../helpers/app.ts";

/** Verbs that change content and have no dry run, with the reason. */
const WITHOUT_DRY_RUN: Readonly<Record<string, string>> = {
  "attachments.add": "has no dry run",
  "forms.answer": "is an answer of a visitor, to whom the changes of a document are not reported",
  "jobs.step": "runs after the request",
  "restore.apply": "is planned by restore.plan, and applies only this plan",
  "schema.apply": "is compared by schema.diff, which reports the changes in the words of the file",
  "tables.import": "runs on a copy",
  "undo.apply": "is planned by undo.plan, and applies only this plan",
};

const names = Object.keys(verbs) as VerbName[];

/** Whether `changes.preview` knows a verb; what it does with it is checked by requests. */
function hasDryRun(name: string): boolean {
  try {
    verbs["changes.preview"].run(undefined as never, undefined as never, { verb: name, args: null });
  } catch (error) {
    return !String(error).includes("has no dry run");
  }
  return true;
}

test.each(names.filter((name) => changeOf(name) === "content" || name.startsWith("states.undo")))("%s", (name) => {
  expect(hasDryRun(name)).toBe(!Object.hasOwn(WITHOUT_DRY_RUN, name));
});

test("verbs that change anything else have none", () => {
  const others = names.filter((name) => changeOf(name) !== "content");
  expect(others.filter(hasDryRun)).toEqual([]);
});

test("the context of a dry run passes on reads, and no verb that writes", async () => {
  const called: string[] = [];
  const call = async (_grant: unknown, verb: string) => called.push(verb);
  const { documents } = dryRunContext({ documents: { call } as unknown as Documents } as Context);
  for (const name of names) await documents.call({} as never, name, {});
  const reads = new Set(called.filter((name) => name !== "changes.preview"));
  expect(names.filter((name) => !reads.has(name)).toSorted()).toEqual(
    names.filter((name) => changeOf(name) !== "none" || name === "changes.preview").toSorted(),
  );
});

test("the access that a verb needs is checked for its dry run", async () => {
  await using server = await testApp();
  const { doc } = await sampleDocument(server);
  const { documents } = server.app.ctx;
  const preview = (role: "viewers" | "editors" | "owners", verb: string, args: object) =>
    documents.call(grantOf(doc, role), "changes.preview", { verb, args }).then(
      () => "done",
      (error: AppError) => error.reason,
    );
  const body = Buffer.from('{"records":[{"fields":{}}]}');
  const add = { table: "Table1", body, noparse: false, flat: false };
  expect(await preview("viewers", "records.add", add)).toBe("access.denied");
  expect(await preview("editors", "records.add", add)).toBe("done");
  expect(await preview("editors", "states.restore", { state: 1 })).toBe("access.denied");
  expect(await preview("owners", "states.restore", { state: 1 })).toBe("done");
});

test("routes with a dry run are writes of documents, and describe it", () => {
  const tried = routes.filter(({ spec }) => spec.dryRun);
  expect(tried.length).toBeGreaterThan(20);
  for (const { spec } of tried) {
    expect([spec.id, spec.method === "get", spec.path.startsWith("/api/docs/{docId}/")]).toEqual([
      spec.id,
      false,
      true,
    ]);
  }
});

test("writes without a dry run refuse the parameter, and are not made", async () => {
  await using server = await testApp();
  const { doc } = await sampleDocument(server);
  const writes = routes.filter(
    ({ spec }) => spec.method !== "get" && spec.path.startsWith("/api/docs/{docId}") && !spec.dryRun,
  );
  const others: string[] = [];
  let refused = 0;
  for (const { spec } of writes) {
    if (spec.id === "importTables") continue;
    const path = spec.path
      .replaceAll("{docId}", doc)
      .replaceAll("{tableId}", "Table1")
      .replaceAll(/\{\w+\}/g, "1");
    const { status, body } = await server.call("owner", spec.method.toUpperCase(), `${path}?dryrun=1`, {});
    // Other refusals come first, such as those of administrators' routes.
    if (body.error === "This request has no dry run") refused++;
    else others.push(`${spec.id} ${status}`);
  }
  expect(refused).toBeGreaterThan(30);
  for (const id of ["applySchemaFile", "diffSchemaFile", "undoChanges"]) {
    expect(writes.map(({ spec }) => spec.id)).toContain(id);
  }
  expect(others).toEqual(["disableDocument 403", "enableDocument 403", "changeDocumentAccess 400"]);
  expect((await server.call("owner", "GET", `/api/docs/${doc}`)).status).toBe(200);
});
