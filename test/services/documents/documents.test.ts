import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { DocumentGrant, WorkspaceGrant } from "../../../src/authorization.ts";
import { createInProcessDocuments } from "../../../src/hosts/in-process-runtime.ts";
import { newUuid } from "../../../src/lib/ids.ts";
import type { Context } from "../../../src/services/context.ts";
import { createDocument, deleteDocument, createDocumentWithFile } from "../../../src/services/documents/documents.ts";
import { guardDocument, guardWorkspace } from "../../../src/services/access/guards.ts";
import { homeContext } from "../../helpers/home-context.ts";
import { createUser, errorCodeOf } from "../../helpers/users.ts";

let home: ReturnType<typeof homeContext>;
let ctx: Context;
let shelf: WorkspaceGrant;

beforeEach(() => {
  home = homeContext();
  const { clock, log, folder } = home;
  ctx = { ...home, documents: createInProcessDocuments({ folder, clock, log, durability: "normal" }) };
  const { actor } = createUser(ctx, "ann@example.com");
  const orgId = ctx.home.orgs.createTeam({ name: "Team", domain: "team", ownerId: actor.userId });
  shelf = guardWorkspace(ctx, actor, String(ctx.home.workspaces.add({ orgId, name: "Shelf" })), "owners");
});
afterEach(async () => {
  await ctx.documents.close();
  home[Symbol.dispose]();
});

const folders = (): string[] => {
  const docs = join(home.folder, "docs");
  return existsSync(docs) ? readdirSync(docs) : [];
};
const rows = () => ctx.home.documents.listOf({ orgId: shelf.orgId }, 0).length;
const grantOn = (uuid: string): DocumentGrant => guardDocument(ctx, shelf.actor, { kind: "personal" }, uuid, "owners");

describe("leaves no partial documents", () => {
  test("when the workspace is deleted while the file is created", async () => {
    const uuid = newUuid();
    const makeFile = async () => {
      await ctx.documents.create(uuid);
      ctx.home.workspaces.remove(shelf.workspaceId);
    };
    expect(await errorCodeOf(() => createDocumentWithFile(ctx, shelf, { uuid, makeFile }))).toBe("notFound");
    expect([folders(), rows()]).toEqual([[], 0]);
  });

  test("when another document takes the urlId concurrently", async () => {
    await createDocument(ctx, shelf, { name: "First" });
    const uuid = newUuid();
    const makeFile = async () => {
      await ctx.documents.create(uuid);
      await createDocument(ctx, shelf, { name: "Quick", urlId: "plan" });
    };
    expect(await errorCodeOf(() => createDocumentWithFile(ctx, shelf, { uuid, urlId: "plan", makeFile }))).toBe(
      "invalid",
    );
    expect([folders().length, rows()]).toEqual([2, 2]);
    expect(folders()).not.toContain(uuid);
  });

  test("when the file cannot be created", async () => {
    const uuid = newUuid();
    const makeFile = () =>
      ctx.documents.importFile(uuid, { path: join(home.folder, "nothing.grist"), name: "nothing.grist" });
    expect(await errorCodeOf(() => createDocumentWithFile(ctx, shelf, { uuid, makeFile }).catch(() => {}))).toBeNull();
    expect([folders(), rows()]).toEqual([[], 0]);
  });
});

test("a document whose files cannot be removed is deleted nevertheless", async () => {
  const uuid = await createDocument(ctx, shelf, { name: "Stuck" });
  const events: string[] = [];
  const stuck: Context = {
    ...ctx,
    log: { ...ctx.log, error: (event) => void events.push(event) },
    documents: { ...ctx.documents, remove: () => Promise.reject(new Error("in use")) },
  };
  expect(await deleteDocument(stuck, grantOn(uuid))).toBe(uuid);
  expect(await errorCodeOf(() => grantOn(uuid))).toBe("notFound");
  expect(events).toEqual(["document.files_not_deleted"]);
});
