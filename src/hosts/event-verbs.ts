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
  /** Where the caller stands; null for somebody who begins to listen. */
  readonly from: ChangeFeedPosition | null;
}

/** The verb that streams of events are made by. */
export const eventVerbs = {
  "events.since": verb({
    needs: "viewers",
    underRules: "kept",
    run: (document: OpenDocument, grant: DocumentGrant, { from }: ChangesSinceArgs): ChangeFeedBatch =>
      readChangeFeed(document, grant, from),
  }),
};
