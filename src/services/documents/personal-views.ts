import type { PersonalViewKey } from "../../home/personal-views.ts";
import type { PersonalView } from "../../wire/documents/personal-views.ts";
import { AppError } from "../../errors.ts";
import type { Context } from "../context.ts";
import type { PersonalViewGrant } from "../access/personal-view-guard.ts";

/** As JSON. */
const MAX_LENGTH = 20_000;

/** Returns how the caller wants to see a section; null if they have no view of their own. */
export function findPersonalView({ home }: Context, grant: PersonalViewGrant, section: number): PersonalView | null {
  const view = home.personalViews.find(keyOf(grant, section));
  return view === null ? null : (JSON.parse(view) as PersonalView);
}

/** @throws AppError `limit.exceeded` */
export function savePersonalView(
  { home }: Context,
  grant: PersonalViewGrant,
  { section, view }: { section: number; view: PersonalView },
): void {
  const text = JSON.stringify(view);
  if (text.length > MAX_LENGTH)
    throw new AppError("limit.exceeded", `A personal view can have ${MAX_LENGTH} characters`);
  home.transaction(() => home.personalViews.save(keyOf(grant, section), text));
}

export function removePersonalView({ home }: Context, grant: PersonalViewGrant, section: number): void {
  home.transaction(() => home.personalViews.remove(keyOf(grant, section)));
}

const keyOf = ({ userId, document }: PersonalViewGrant, section: number): PersonalViewKey => ({
  userId,
  documentId: document.documentId,
  section,
});
