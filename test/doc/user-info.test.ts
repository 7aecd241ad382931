import { expect, test } from "bun:test";
import { anonymous, type DocumentGrant, NO_REQUEST_INFO, type UserActor } from "../../src/authorization.ts";
import { userInfo } from "../../src/doc/user-info.ts";
import { grantOf } from "./read/sample.ts";

const ann: UserActor = {
  kind: "user",
  userId: 7,
  email: "ann@example.com",
  name: "Ann",
  ref: "x7",
  isAdmin: false,
  isService: false,
  via: "key",
};
const grant = (change: Partial<Pick<DocumentGrant, "actor" | "request" | "role">>): DocumentGrant => ({
  ...grantOf("doc", "viewers"),
  ...change,
});

test("a signed-in user has all properties of their account", () => {
  const request = { origin: "https://example.com", linkKey: { Code: "17" } };
  expect(userInfo(grant({ actor: ann, request }))).toEqual({
    access: "viewers",
    email: "ann@example.com",
    name: "Ann",
    userId: 7,
    userRef: "x7",
    isLoggedIn: true,
    sessionId: "u7",
    origin: "https://example.com",
    linkKey: { Code: "17" },
  });
});

test("an anonymous visitor has an address and a name, but no id", () => {
  expect(userInfo(grant({ actor: anonymous, request: NO_REQUEST_INFO, role: "editors" }))).toEqual({
    access: "editors",
    email: "anon@getgrist.com",
    name: "Anonymous",
    userId: null,
    userRef: null,
    isLoggedIn: false,
    sessionId: null,
    origin: null,
    linkKey: {},
  });
});
