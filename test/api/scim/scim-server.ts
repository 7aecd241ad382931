import { testApp, USERS, type CallOptions, type Caller, type Reply, type TestApp } from "../../helpers/app.ts";

export const URN = {
  user: "urn:ietf:params:scim:schemas:core:2.0:User",
  group: "urn:ietf:params:scim:schemas:core:2.0:Group",
  role: "urn:ietf:params:scim:schemas:Grist:1.0:Role",
  patch: "urn:ietf:params:scim:api:messages:2.0:PatchOp",
  search: "urn:ietf:params:scim:api:messages:2.0:SearchRequest",
  bulk: "urn:ietf:params:scim:api:messages:2.0:BulkRequest",
} as const;

/** The attributes of answers that tests look at. */
export interface Answer {
  readonly id: string;
  readonly displayName: string;
  readonly active: boolean;
  readonly totalResults: number;
  readonly members: readonly { readonly display: string; readonly type: string }[];
  readonly Resources: readonly { readonly id: string; readonly displayName: string }[];
}

export interface ScimServer extends AsyncDisposable {
  readonly server: TestApp;
  call(as: Caller, method: string, path: string, body?: unknown, options?: CallOptions): Promise<Reply>;
  /** As the owner, who is an administrator; returns the body. @throws Error unless the status is 2xx */
  must<T = Answer>(method: string, path: string, body?: unknown): Promise<T>;
  /** Returns the body of a PATCH with these operations. */
  patch(path: string, ...operations: object[]): Promise<Reply>;
  addUser(userName: string, more?: object): Promise<string>;
  idOf(name: keyof typeof USERS): number;
}

/** Starts a server with SCIM, whose `owner` is an administrator. */
export async function scimServer(flags: Record<string, string> = {}): Promise<ScimServer> {
  const server = await testApp({ flags: { scim: "on", ...flags } });
  const { home } = server.app.ctx;
  const idOf = (name: keyof typeof USERS): number => home.users.byEmail(USERS[name].email)?.id ?? 0;
  home.users.change(idOf("owner"), { isAdmin: true });
  const call: ScimServer["call"] = (as, method, path, body, options) =>
    server.call(as, method, `/api/scim/v2${path}`, body, options);
  const must: ScimServer["must"] = async <T>(method: string, path: string, body?: unknown) => {
    const reply = await call("owner", method, path, body);
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body as T;
  };
  return {
    server,
    call,
    must,
    patch: (path, ...operations) => call("owner", "PATCH", path, { schemas: [URN.patch], Operations: operations }),
    addUser: async (userName, more = {}) => (await must("POST", "/Users", { userName, ...more })).id,
    idOf,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
