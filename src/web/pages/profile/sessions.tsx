/** The sessions of a user on the profile page. */
import type { FC } from "hono/jsx";
import type { ListedSessions } from "../../../wire/accounts/sessions.ts";
import { Badge, TimeElement } from "../../base/components.tsx";
import { useTexts, type PageTexts } from "../../base/page-texts.tsx";

type Session = ListedSessions["sessions"][number];

export const SessionList: FC<{ sessions: readonly Session[] }> = ({ sessions }) => {
  const t = useTexts();
  const hasOthers = sessions.some(({ isCurrent }) => !isCurrent);
  return (
    <>
      <ul class="entries">
        {sessions.map((session) => (
          <SessionItem session={session} />
        ))}
      </ul>
      {hasOthers && (
        <form method="post" action="/profile/sessions/end-others#sessions">
          <button class="plain">{t("profile.sessions.endOthers")}</button>
        </form>
      )}
    </>
  );
};

const SessionItem: FC<{ session: Session }> = ({ session }) => {
  const t = useTexts();
  const { id, address, createdAt, lastUsedAt, isCurrent } = session;
  const name = browserName(t, session);
  const created = <TimeElement at={createdAt} />;
  return (
    <li>
      <div class="what">
        <span class="name" translate="no">
          {name}
        </span>
        {isCurrent && <Badge text={t("profile.sessions.current")} kind="good" />}
        <small>
          {address !== null && <AddressPrefix address={address} />}
          {isCurrent
            ? t.rich("profile.sessions.signedIn", { created })
            : t.rich("profile.sessions.used", { created, used: <TimeElement at={lastUsedAt} /> })}
        </small>
      </div>
      {!isCurrent && (
        <form method="post" action="/profile/sessions/end#sessions">
          <input type="hidden" name="id" value={id} />
          <button class="danger small" aria-label={t("profile.sessions.endNamed", { browser: name })}>
            {t("profile.sessions.end")}
          </button>
        </form>
      )}
    </li>
  );
};

const AddressPrefix: FC<{ address: string }> = ({ address }) => (
  <>
    <span translate="no">{address}</span>
    {" · "}
  </>
);

function browserName(t: PageTexts, { browser, os }: Session): string {
  if (browser === null) return os ?? t("profile.sessions.unknown");
  return os === null ? browser : t("profile.sessions.browser", { browser, os });
}
