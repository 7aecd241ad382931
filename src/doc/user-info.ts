import { ANONYMOUS, type DocumentGrant, type Role } from "../authorization.ts";

/** Who asks, as a document's access rules and its trigger formulas may know him. */
export interface UserInfo {
  readonly access: Role;
  /** In lower case; visitors without a key have the address of the pseudo-user. */
  readonly email: string;
  readonly name: string;
  readonly userId: number | null;
  readonly userRef: string | null;
  readonly isLoggedIn: boolean;
  /** Tells callers apart; null for visitors, who cannot be told apart. */
  readonly sessionId: string | null;
  /** The Origin header of the request. */
  readonly origin: string | null;
  /** The link parameters of the request, by name. */
  readonly linkKey: Readonly<Record<string, string>>;
}

/** What a document may know of whoever was granted access to it. */
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

/** For what the program does of its own accord. */
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
