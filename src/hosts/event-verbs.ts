import type { DocumentGrant } from "../access.ts";
import type { OpenDocument } from "../doc/document.ts";
import { type Told, type ToldPlace, tellSince } from "../doc/events/told.ts";
import { verb } from "./verb.ts";

export type { Told, ToldChange, ToldPlace, ToldTable } from "../doc/events/told.ts";

interface SinceArgs {
  /** Where the caller stands; null for somebody who begins to listen. */
  readonly from: ToldPlace | null;
}

/** The verb that streams of events are made by. */
export const eventVerbs = {
  "events.since": verb({
    needs: "viewers",
    underRules: "kept",
    run: (document: OpenDocument, grant: DocumentGrant, { from }: SinceArgs): Told => tellSince(document, grant, from),
  }),
};
