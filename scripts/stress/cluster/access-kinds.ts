/** The ways in which access is granted and revoked, and what the user may do in between. */
import { createApi } from "../load/api.ts";
import { type AccessLane, type LaneRequest, signIn } from "./access-lane.ts";

/** One trial of a kind. */
export interface AccessTrial {
  /** What works until access is revoked. */
  readonly request: LaneRequest;
  /** The document whose events the user may follow meanwhile; null where a change of events is not tested. */
  readonly followed: { readonly doc: string; readonly headers: Readonly<Record<string, string>> } | null;
  revoke(address: string): Promise<unknown>;
}

export interface AccessKind {
  readonly name: string;
  /** Trials of this kind for one of the others, about; default 1. */
  readonly share?: number;
  grant(lane: AccessLane, address: string): Promise<AccessTrial>;
}

const withKey = (key: string) => ({ Authorization: `Bearer ${key}` });
const owner = (lane: AccessLane, address: string) => createApi(address, lane.ownerKey);
const user = (lane: AccessLane, address: string) => createApi(address, lane.userKey);

const read = (doc: string, headers: Readonly<Record<string, string>>): LaneRequest => ({
  method: "GET",
  path: `/api/docs/${doc}/tables/Table1/records`,
  headers,
});

const setAccess = (lane: AccessLane, address: string, resource: string, email: string, role: string | null) =>
  owner(lane, address).send("PATCH", `${resource}/access`, { delta: { users: { [email]: role } } });

/** A resource is shared with the user, who reads with a key. */
const shared = (name: string, resourceOf: (lane: AccessLane) => string): AccessKind => ({
  name,
  async grant(lane, address) {
    const resource = resourceOf(lane);
    await setAccess(lane, address, resource, lane.email, "viewers");
    return {
      request: read(lane.doc, withKey(lane.userKey)),
      followed: { doc: lane.doc, headers: withKey(lane.userKey) },
      revoke: (at) => setAccess(lane, at, resource, lane.email, null),
    };
  },
});

/** The page of a document and its tables: `/docs/…`. */
const page = (doc: string, headers: Readonly<Record<string, string>>): LaneRequest => ({
  method: "GET",
  path: `/docs/${doc}/tables/Table1`,
  headers,
});

export const ACCESS_KINDS: readonly AccessKind[] = [
  shared("share of a document removed", ({ doc }) => `/docs/${doc}`),
  shared("share of a workspace removed", ({ workspace }) => `/workspaces/${workspace}`),
  {
    name: "role lowered to viewer",
    async grant(lane, address) {
      await setAccess(lane, address, `/docs/${lane.doc}`, lane.email, "editors");
      return {
        request: {
          method: "POST",
          path: `/api/docs/${lane.doc}/tables/Table1/records`,
          headers: { ...withKey(lane.userKey), "Content-Type": "application/json" },
          body: JSON.stringify({ records: [{ fields: { A: "another row" } }] }),
        },
        followed: null,
        revoke: (at) => setAccess(lane, at, `/docs/${lane.doc}`, lane.email, "viewers"),
      };
    },
  },
  {
    name: "key deleted",
    async grant(lane, address) {
      type Created = { id: number | string; key: string };
      const { id, key } = await user(lane, address).send<Created>("POST", "/profile/keys", { label: "a trial" });
      return {
        request: read(lane.sharedDoc, withKey(key)),
        followed: { doc: lane.sharedDoc, headers: withKey(key) },
        revoke: (at) => user(lane, at).send("DELETE", `/profile/keys/${id}`),
      };
    },
  },
  {
    name: "user disabled",
    async grant(lane, address) {
      const { id, key } = lane.other;
      await owner(lane, address).send("POST", `/users/${id}/enable`);
      return {
        request: read(lane.sharedDoc, withKey(key)),
        followed: { doc: lane.sharedDoc, headers: withKey(key) },
        revoke: (at) => owner(lane, at).send("POST", `/users/${id}/disable`),
      };
    },
  },
  {
    name: "document moved to the trash",
    async grant(lane, address) {
      await setAccess(lane, address, `/docs/${lane.doc}`, lane.email, "viewers");
      return {
        request: read(lane.doc, withKey(lane.userKey)),
        followed: { doc: lane.doc, headers: withKey(lane.userKey) },
        revoke: (at) => owner(lane, at).send("POST", `/docs/${lane.doc}/remove`),
      };
    },
  },
  {
    name: "public access removed",
    async grant(lane, address) {
      await setAccess(lane, address, `/docs/${lane.doc}`, "everyone@getgrist.com", "viewers");
      return {
        request: read(lane.doc, {}),
        followed: { doc: lane.doc, headers: {} },
        revoke: (at) => setAccess(lane, at, `/docs/${lane.doc}`, "everyone@getgrist.com", null),
      };
    },
  },
  {
    name: "share removed, on a page",
    async grant(lane, address) {
      await setAccess(lane, address, `/docs/${lane.doc}`, lane.email, "viewers");
      return {
        request: page(lane.doc, { Cookie: lane.cookie }),
        followed: { doc: lane.doc, headers: { Cookie: lane.cookie } },
        revoke: (at) => setAccess(lane, at, `/docs/${lane.doc}`, lane.email, null),
      };
    },
  },
  {
    name: "signed out, on a page",
    // Passwords are hashed slowly.
    share: 0.1,
    async grant(lane, address) {
      const cookie = await signIn(address, lane.email);
      return {
        request: page(lane.sharedDoc, { Cookie: cookie }),
        followed: null,
        revoke: (at) =>
          fetch(`${at}/sign-out`, { method: "POST", redirect: "manual", headers: { Cookie: cookie, Origin: at } }),
      };
    },
  },
];

/** Brings a lane back to where trials begin, whatever the last one did. */
export async function resetLane(lane: AccessLane, address: string): Promise<void> {
  const api = owner(lane, address);
  await api.send("POST", `/docs/${lane.doc}/unremove`);
  const users = { [lane.email]: null, "everyone@getgrist.com": null };
  await api.send("PATCH", `/docs/${lane.doc}/access`, { delta: { users } });
}
