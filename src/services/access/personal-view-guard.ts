import type { DocumentGrant } from "../../authorization.ts";
import { guardSignedIn } from "./guards.ts";

/** The grant for the personal views that a user has of a document. */
export interface PersonalViewGrant {
  readonly document: DocumentGrant;
  readonly userId: number;
}

/** @throws AppError `unauthenticated` for callers without an account: they have no personal views */
export const guardPersonalViews = (document: DocumentGrant): PersonalViewGrant => ({
  document,
  userId: guardSignedIn(document.actor).actor.userId,
});
