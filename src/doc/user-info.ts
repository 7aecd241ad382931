import { ANONYMOUS, type DocumentGrant, type Role } from "../authorization.ts";

/** The caller, as exposed to a document's access rules and trigger formulas. */
export interface UserInfo {
  readonly access: Role;
  /** In lower case; anonymous visitors have the address of a pseudo-user. */
  readonly email: string;
  readonly name: string;
  readonly userId: number | null;
  readonly userRef: string | null;
  readonly isLoggedIn: boolean;
  /** Identifies the caller; null for anonymous visitors, who are indistinguishable. */
  readonly sessionId: string | null;
  /** The Origin header of the request. */
  readonly origin: string | null;
  /** The link parameters of the request, by name. */
  readonly linkKey: Readonly<Record<string, string>>;
}

/** Returns the information about a caller that the document may use. */
export function userInfo({ actor, role, request }: DocumentGrant): UserInfo {
  const { origin, linkKey } = request;
  const from = { access: role, origin, linkKey };
  if (actor.kind === "anonymous") {
    const { email, name } = ANONYMOUS;
    return { ...from, email, name, userId: null, userRef: null, isLoggedIn: false, sessionId: null };
  }
  const { email, name, userId, ref } = actor;
  return { ...from, email, name, userId, userRef: ref, isLoggedIn: true, sessionId: `u${userId}` };
}

/** The user of actions that the server takes on its own. */
export const SYSTEM_USER: UserInfo = {
  access: "owners",
  email: "",
  name: "",
  userId: null,
  userRef: null,
  isLoggedIn: false,
  sessionId: null,
  origin: null,
  linkKey: {},
};
