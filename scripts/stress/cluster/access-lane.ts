/** A user whose access to documents is granted and revoked through one node, and used through another. */
import type { ClusterSite } from "../../cluster/cluster-site.ts";
import { type Api, createApi } from "../load/api.ts";

export const PASSWORD = "correct horse battery";

/** What the user sends: with their key, a cookie, or neither. */
export interface LaneRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A lane runs one trial at a time. */
export interface AccessLane {
  readonly email: string;
  /** A key of the user that is never deleted. */
  readonly userKey: string;
  /** Another user, who is disabled and enabled. */
  readonly other: { readonly id: number; readonly key: string };
  readonly ownerKey: string;
  readonly workspace: number;
  /** A document in that workspace, private between trials. */
  readonly doc: string;
  /** A document that is always shared with both users. */
  readonly sharedDoc: string;
  /** The session cookie of the user. */
  readonly cookie: string;
}

/** Signing in is limited for each address of clients. */
export const TRUSTED_PROXY = { QUERN_TRUSTED_PROXIES: "127.0.0.1" } as const;
let signIns = 0;

export async function createLane({ nodes, key }: ClusterSite, index: number): Promise<AccessLane> {
  const [first] = nodes;
  if (!first) throw new Error("no nodes");
  const email = `lane-${index}@example.com`;
  await first.commandWithInput(`${PASSWORD}\n`, "user", "add", "--email", email, "--name", email, "--password-stdin");
  const { key: userKey } = await first.command<{ key: string }>("key", "create", "--email", email);
  const otherEmail = `other-${index}@example.com`;
  await first.command("user", "add", "--email", otherEmail, "--name", otherEmail);
  const { key: otherKey } = await first.command<{ key: string }>("key", "create", "--email", otherEmail);
  const { id } = await createApi(first.address, otherKey).send<{ id: number }>("GET", "/profile/user");
  const owner = createApi(first.address, key);
  const workspace = await owner.send<number>("POST", "/orgs/current/workspaces", { name: `Lane ${index}` });
  const sharedWorkspace = await owner.send<number>("POST", "/orgs/current/workspaces", { name: `Shared ${index}` });
  const doc = await createDocument(owner, workspace);
  const sharedDoc = await createDocument(owner, sharedWorkspace);
  await owner.send("PATCH", `/docs/${sharedDoc}/access`, {
    delta: { users: { [email]: "editors", [otherEmail]: "editors" } },
  });
  const cookie = await signIn(first.address, email);
  return { email, userKey, other: { id, key: otherKey }, ownerKey: key, workspace, doc, sharedDoc, cookie };
}

async function createDocument(owner: Api, workspace: number): Promise<string> {
  const doc = await owner.send<string>("POST", `/workspaces/${workspace}/docs`, { name: "Items" });
  await owner.send("POST", `/docs/${doc}/tables/Table1/records`, { records: [{ fields: { A: "a row" } }] });
  return doc;
}

/** Signs in on the page; returns the session cookie. */
export async function signIn(address: string, email: string): Promise<string> {
  signIns++;
  const client = `10.${signIns >> 16}.${(signIns >> 8) & 255}.${signIns & 255}`;
  const response = await fetch(`${address}/sign-in`, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: address, "X-Forwarded-For": client },
    body: new URLSearchParams({ email, password: PASSWORD, next: "/" }),
  });
  const cookie = response.headers.get("set-cookie")?.split(";")[0];
  if (response.status !== 303 || cookie === undefined) {
    throw new Error(`signing in: ${response.status} ${(await response.text()).slice(0, 500)}`);
  }
  return cookie;
}
