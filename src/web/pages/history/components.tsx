import type { FC } from "hono/jsx";
import type { History } from "../../../wire/documents/history.ts";
import { Icon, Name, TimeElement } from "../../base/components.tsx";
import { plainMarkedText } from "../../base/names.ts";
import { useTexts } from "../../base/page-texts.tsx";

/** Shared components of the list of states and the page of one state. */

type State = History["states"][number];

/** The server itself has a name in histories, but no email address. */
const isUser = ({ email }: NonNullable<State["user"]>): boolean => email.includes("@");

/** Author and time, as far as known and visible to the reader. */
export const ChangeAuthor: FC<{ state: State }> = ({ state: { user, time, key } }) => {
  const t = useTexts();
  const at = time ? <TimeElement at={time} /> : t("history.unknownTime");
  if (!user || !isUser(user)) return <>{at}</>;
  return (
    <>
      <span title={user.email} translate="no">
        <Name text={user.name ?? user.email} />
      </span>
      {key && <> {t("history.byKey", { key: key.label ?? String(key.id) })}</>}
      {", "}
      {at}
    </>
  );
};

export const RestoreButton: FC<{ n: number; summary: string }> = ({ n, summary }) => {
  const t = useTexts();
  return (
    <button
      type="button"
      class="plain small"
      data-do="restore"
      data-state={n}
      aria-label={t("history.restore.label", { n, summary: plainMarkedText(summary) })}
    >
      <Icon name="rotate-ccw" />
      {t("history.restore")}
    </button>
  );
};
