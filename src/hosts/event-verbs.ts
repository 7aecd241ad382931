import type { DocumentGrant } from "../access.ts";
import type { OpenDocument } from "../doc/document.ts";
import { type ChangeFeedBatch, type ChangeFeedPosition, readChangeFeed } from "../doc/events/told.ts";
import { verb } from "./verb.ts";

export type { ChangeFeedBatch, ChangeFeedEntry, ChangeFeedPosition, TableChangeEntry } from "../doc/events/told.ts";

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
