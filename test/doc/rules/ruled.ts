import type { UserAction } from "../../../src/doc/actions/apply-user-actions.ts";
import type { CallerRules } from "../../../src/doc/rules/document-rules.ts";
import type { UserInfo } from "../../../src/doc/user-info.ts";
import { must } from "../../../src/lib/assert.ts";
import { ANN, type Scratch } from "../actions/scratch.ts";

export interface WrittenRule {
  readonly formula?: string;
  readonly permissions?: string;
  readonly memo?: string;
  readonly userAttributes?: string;
}

/** `Table:*`, `Table:A,B`, `*:*` or `*SPECIAL:Name` → its rules. */
export type WrittenRules = Readonly<Record<string, readonly WrittenRule[]>>;

/** Returns the actions of an owner who adds rules. */
export function addingRules(rules: WrittenRules): UserAction[] {
  return Object.entries(rules).flatMap(([name, list], at) => {
    const [tableId = "", colIds = ""] = name.split(":");
    const resource = -1 - at;
    return [
      ["AddRecord", "_grist_ACLResources", resource, { tableId, colIds }],
      ...list.map(({ formula = "", permissions = "", memo = "", userAttributes = "" }) => [
        "AddRecord",
        "_grist_ACLRules",
        null,
        { resource, aclFormula: formula, permissionsText: permissions, memo, userAttributes },
      ]),
    ];
  });
}

/** Returns the rules of a document for a user. */
export const rulesFor = (scratch: Scratch, user: Partial<UserInfo> = {}): CallerRules =>
  must(scratch.document.rules, "rules").forUser({ ...ANN, ...user });
