import type { Verb } from "./verb.ts";
import { attachmentVerbs } from "./attachments.ts";
import { documentFileVerbs } from "../copying.ts";
import { deliveryVerbs } from "./deliveries.ts";
import { eventVerbs } from "../event-verbs.ts";
import { exportVerbs } from "./exports.ts";
import { formulaVerbs } from "./formulas.ts";
import { historyVerbs } from "../history-verbs.ts";
import { importVerbs } from "./imports.ts";
import { readVerbs } from "../read-verbs.ts";
import { rulesVerbs } from "../rules-verbs.ts";
import { sqlVerbs } from "../sql-verbs.ts";
import { webhookVerbs } from "./webhooks.ts";
import { writeVerbs } from "./writes.ts";

/** Everything that can be asked of a document through the door, by name. */
export const verbs = {
  ...readVerbs,
  ...writeVerbs,
  ...historyVerbs,
  ...eventVerbs,
  ...formulaVerbs,
  ...rulesVerbs,
  ...exportVerbs,
  ...documentFileVerbs,
  ...sqlVerbs,
  ...importVerbs,
  ...attachmentVerbs,
  ...webhookVerbs,
  ...deliveryVerbs,
};

export type VerbName = keyof typeof verbs;
/** What a verb takes; it survives structured cloning. */
export type VerbArgs<V extends VerbName> = (typeof verbs)[V] extends Verb<infer A, infer _> ? A : never;
/** What a verb answers; it survives structured cloning. */
export type VerbResult<V extends VerbName> = (typeof verbs)[V] extends Verb<infer _, infer R> ? R : never;
