import { isEmail, normaliseEmail } from "../lib/text/email.ts";
import { oneOf } from "../lib/setting-parsers.ts";
import { setting } from "./setting.ts";

/** Provisioning of users, groups and roles. */
export const SCIM_SETTINGS = {
  scim: setting<"on" | "off">({
    flag: "scim",
    env: "QUERN_SCIM",
    placeholder: "SWITCH",
    defaultValue: "off",
    about: "SCIM 2.0 at /api/scim/v2, with which identity providers manage users, groups and roles: on or off.",
    parse: (text) => oneOf(text, ["on", "off"]),
  }),
  scimEmail: setting({
    flag: "scim-email",
    env: "QUERN_SCIM_EMAIL",
    placeholder: "EMAIL",
    defaultValue: null,
    about:
      "Email address of a user who may use SCIM without being an administrator. They can give themselves every right.",
    parse: emailAddress,
  }),
} as const;

function emailAddress(text: string): string {
  if (!isEmail(text)) throw new Error("must be an email address");
  return normaliseEmail(text);
}
