import type { DocumentGrant } from "../authorization.ts";
import type { OpenDocument } from "../doc/document.ts";
import { type ChangeFeedBatch, type ChangeFeedPosition, readChangeFeed } from "../doc/events/change-feed.ts";
import { verb } from "./verbs/verb.ts";

export type {
  ChangeFeedBatch,
  ChangeFeedEntry,
  ChangeFeedPosition,
  TableChangeEntry,
} from "../doc/events/change-feed.ts";

interface ChangesSinceArgs {
  /** The caller's position in the change feed; null for a new subscriber. */
  readonly from: ChangeFeedPosition | null;
}

/** The verb behind event streams. */
export const eventVerbs = {
  "events.since": verb({
    needs: "viewers",
    underRules: "kept",
    run: (document: OpenDocument, grant: DocumentGrant, { from }: ChangesSinceArgs): ChangeFeedBatch =>
      readChangeFeed(document, grant, from),
  }),
};
