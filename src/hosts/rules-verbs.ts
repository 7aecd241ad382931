import { attributeUsers } from "../doc/rules/attribute-users.ts";
import { verb } from "./verbs/verb.ts";

export type { AttributeUser } from "../doc/rules/attribute-users.ts";

/** Verbs that read access rules. */
export const rulesVerbs = {
  "rules.attributeUsers": verb({
    needs: "owners",
    run: (document, _grant, _args: null) => attributeUsers(document),
  }),
};
