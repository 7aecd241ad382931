import { ENTRIES_AFTER } from "../../../src/home/identity/audit-log.ts";
import type { AuditRow } from "../../../src/home/identity/audit-chain.ts";
import { sampleDocument, testApp, type TestApp, USERS, type UserName } from "../../helpers/app.ts";

/** A server with a document, whose owner is an administrator of the installation. */
export interface AuditScene extends AsyncDisposable {
  readonly server: TestApp;
  readonly ctx: TestApp["app"]["ctx"];
  readonly workspaceId: number;
  /** API path of the document. */
  readonly doc: string;
  readonly uuid: string;
  idOf(user: UserName): number;
  /** Sends a request of the owner; throws unless the status is 200. */
  must: TestApp["must"];
  /** Returns all entries so far. */
  entries(): Promise<AuditRow[]>;
}

export async function auditScene(options: Parameters<typeof testApp>[0] = {}): Promise<AuditScene> {
  const server = await testApp(options);
  const { ctx } = server.app;
  const idOf = (user: UserName): number => ctx.home.users.byEmail(USERS[user].email)?.id ?? 0;
  ctx.home.transaction(() => ctx.home.users.change(idOf("owner"), { isAdmin: true }));
  const { workspaceId, doc: uuid } = await sampleDocument(server);
  return {
    server,
    ctx,
    workspaceId,
    uuid,
    doc: `/api/docs/${uuid}`,
    idOf,
    must: server.must,
    async entries() {
      if (!(await ctx.audit.flush())) throw new Error("the audit log was not written");
      return ctx.home.raw.all<AuditRow>(ENTRIES_AFTER, 0, 100_000);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
