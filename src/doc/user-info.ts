import { ANONYMOUS, type DocumentGrant, type Role } from "../authorization.ts";
import { sha256Hex } from "../lib/ids.ts";

/** Hexadecimal digits of the session ids of end users. */
const SESSION_ID_LENGTH = 16;

/** The caller, as exposed to a document's access rules and trigger formulas. */
export interface UserInfo {
  readonly access: Role;
  /** In lower case; anonymous visitors have the address of a pseudo-user. */
  readonly email: string;
  readonly name: string;
  /** Null for callers without an account: anonymous visitors and end users with a token. */
  readonly userId: number | null;
  readonly userRef: string | null;
  readonly isLoggedIn: boolean;
  /** Identifies the caller; null for anonymous visitors, who are indistinguishable. */
  readonly sessionId: string | null;
  /** The Origin header of the request. */
  readonly origin: string | null;
  /** The link parameters of the request, by name. */
  readonly linkKey: Readonly<Record<string, string>>;
  /** The row id of the share over whose link an answer to a form is written; absent for all other changes. */
  readonly shareRef?: number;
  /** The tables that the caller's API key is limited to; absent when it is not. */
  readonly tables?: readonly string[];
  /** The API key of the request, for the history; rules and formulas do not see it. */
  readonly keyId?: number;
}

/** Returns true for end users with a token: all others that are signed in have an account. */
export const isEndUser = ({ userId, isLoggedIn }: Pick<UserInfo, "userId" | "isLoggedIn">): boolean =>
  userId === null && isLoggedIn;

/** Returns the information about a caller that the document may use. */
export function userInfo({ actor, role, request, uuid, tables }: DocumentGrant): UserInfo {
  const { origin, linkKey } = request;
  const keyId = actor.kind === "anonymous" ? undefined : actor.keyId;
  const from = { access: role, origin, linkKey, ...(tables && { tables }), ...(keyId !== undefined && { keyId }) };
  if (actor.kind === "anonymous") {
    const { email, name } = ANONYMOUS;
    return { ...from, email, name, userId: null, userRef: null, isLoggedIn: false, sessionId: null };
  }
  if (actor.kind === "endUser") {
    const { email } = actor;
    // An account with the same address is another user: nothing of it is used.
    const sessionId = `t${sha256Hex(`${uuid} ${email}`).slice(0, SESSION_ID_LENGTH)}`;
    return { ...from, email, name: email, userId: null, userRef: null, isLoggedIn: true, sessionId };
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
