/** The data for contract tests: one resource for each path parameter, recreated for each operation. */
import { createKey } from "../../../src/services/accounts/keys.ts";
import { createGroup } from "../../../src/services/accounts/groups.ts";
import { actorForCommand } from "../../../src/services/accounts/actors.ts";
import { guardSignedIn } from "../../../src/services/access/guards.ts";
import { publishForm } from "../../forms/scene.ts";
import { USERS, sampleDocument, testApp, type Reply, type TestApp } from "../../helpers/app.ts";

/** The parts of a reply that are compared with the document. */
export interface Answer extends Reply {
  readonly type: string;
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: string | FormData;
}

export class Subject implements AsyncDisposable {
  readonly #server: TestApp;
  readonly #key: string;
  /** By the names of path parameters. */
  readonly params: Readonly<Record<string, string>>;

  private constructor(server: TestApp, key: string, params: Readonly<Record<string, string>>) {
    this.#server = server;
    this.#key = key;
    this.params = params;
  }

  static async make(): Promise<Subject> {
    const server = await testApp({
      flags: { "max-parallel": "0", "sql-timeout-ms": "200", metrics: "off", scim: "on" },
    });
    const { must, app } = server;
    const { home } = app.ctx;
    const idOf = (email: string): number => home.users.byEmail(email)?.id ?? 0;
    // An administrator, so that their routes do more than refuse.
    home.users.change(idOf(USERS.owner.email), { isAdmin: true });
    const { doc, workspaceId } = await sampleDocument(server);
    const path = `/api/docs/${doc}`;
    await must("POST", `${path}/tables/Table1/records`, { records: [{ fields: { A: 1 } }, { fields: { A: "x" } }] });
    const fields = { url: "https://example.com/hook", eventTypes: ["add"], tableId: "Table1", enabled: false };
    const { webhooks } = await must<{ webhooks: { id: string }[] }>("POST", `${path}/webhooks`, {
      webhooks: [{ fields }],
    });
    const account = await must<{ id: number }>("POST", "/api/service-accounts", { expiresAt: "2099-01-01" });
    const query = await must<{ id: number }>("POST", `${path}/queries`, { name: "All", sql: "select * from Table1" });
    const other = await sampleDocument(server);
    const form = new FormData();
    form.append("upload", new File(["text"], "a.txt"));
    await server.call("owner", "POST", `${path}/attachments`, undefined, { raw: form });
    const listed = Array.from({ length: 1001 }, (_, n) => `{"A":${n}}`).join("\n");
    const { body: job } = await server.call("owner", "POST", `${path}/tables/Table1/records`, undefined, {
      raw: listed,
      headers: { "Content-Type": "application/x-ndjson" },
    });
    await app.ctx.jobs.whenIdle();
    const published = await publishForm(server, doc);
    // A labelled key, since operations replace the profile key.
    const grant = guardSignedIn(actorForCommand(app.ctx, USERS.owner.email));
    const key = createKey(app.ctx, grant, { label: "contract" });
    return new Subject(server, key, {
      org: "team",
      name: "other",
      workspaceId: String(workspaceId),
      docId: doc,
      docId2: other.doc,
      tableId: "Table1",
      colId: "A",
      attachmentId: "1",
      state: "2",
      queryId: String(query.id),
      section: String(published.section),
      key: published.key,
      webhookId: webhooks[0]?.id ?? "",
      deliveryId: "1",
      jobId: String((job as { id: unknown }).id),
      uploadId: "7",
      keyId: "1",
      userId: String(idOf(USERS.stranger.email)),
      groupId: String(createGroup(app.ctx, { name: "Crew", managedBy: null, externalId: null }).id),
      provider: "keycloak",
      accountId: String(account.id),
      id: String(idOf(USERS.stranger.email)),
    });
  }

  /** True while all resources exist and the key is valid. */
  async isWhole(): Promise<boolean> {
    const replies = await Promise.all(
      [`/api/docs/${this.params["docId"]}/tables/Table1/records`, "/api/profile/user", "/api/orgs/team"].map((path) =>
        this.ask({ method: "GET", path }),
      ),
    );
    return replies.every(({ status }) => status === 200);
  }

  async ask({ method, path, body }: Asked): Promise<Answer> {
    // The limit of an address is not part of the contract.
    this.#server.app.ctx.answerLimits.forget();
    const request = new Request(`http://quern.test/o/team${path}`, {
      method,
      headers: {
        Host: "quern.test",
        Authorization: `Bearer ${this.#key}`,
        ...(typeof body === "string" && { "Content-Type": "application/json" }),
      },
      ...(body !== undefined && { body }),
    });
    const response = await this.#server.app.handle(request);
    const type = (response.headers.get("content-type") ?? "").split(";")[0] ?? "";
    // Event streams do not end.
    if (type === "text/event-stream") await response.body?.cancel();
    const text = type === "text/event-stream" ? "" : await response.text();
    return {
      status: response.status,
      type,
      body: type === "application/json" ? (JSON.parse(text) as unknown) : text,
      headers: response.headers,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }
}
