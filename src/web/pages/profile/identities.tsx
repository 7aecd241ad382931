/** Accounts at single sign-on providers on the profile page. */
import type { FC } from "hono/jsx";
import type { UserGrant } from "../../../authorization.ts";
import { sha256Hex } from "../../../lib/ids.ts";
import { isoTime } from "../../../lib/time/clock.ts";
import type { Context } from "../../../services/context.ts";
import { listIdentities, type ListedIdentity } from "../../../services/oidc/identities.ts";
import { sealLinkIntent } from "../../../services/oidc/link-intent.ts";
import { Name, ShortName, TimeElement } from "../../base/components.tsx";
import { useTexts } from "../../base/page-texts.tsx";

/** False where nothing is connected and nothing can be. */
export const hasIdentities = (ctx: Context, grant: UserGrant): boolean =>
  ctx.oidc.buttons.length > 0 || listIdentities(ctx, grant).length > 0;

interface IdentitiesProps {
  ctx: Context;
  grant: UserGrant;
  sessionToken: string | null;
}

export const Identities: FC<IdentitiesProps> = ({ ctx, grant, sessionToken }) => {
  const t = useTexts();
  const identities = listIdentities(ctx, grant);
  const link = sessionToken === null ? null : sealLinkIntent(ctx, grant, sha256Hex(sessionToken));
  return (
    <>
      <p class="quiet">{t(identities.length === 0 ? "profile.identities.none" : "profile.identities.about")}</p>
      {identities.length > 0 && (
        <ul class="entries">
          {identities.map((identity) => (
            <IdentityItem identity={identity} />
          ))}
        </ul>
      )}
      {link !== null && (
        <div class="bar">
          {ctx.oidc.buttons.map(({ name, label }) => (
            <a class="button plain" href={`/sign-in/oidc/${name}/start?${new URLSearchParams({ link }).toString()}`}>
              <span>{t.rich("profile.identities.connect", { provider: <ShortName text={label} /> })}</span>
            </a>
          ))}
        </div>
      )}
    </>
  );
};

const IdentityItem: FC<{ identity: ListedIdentity }> = ({ identity }) => {
  const t = useTexts();
  const { id, label, email, createdAt, lastUsedAt } = identity;
  const created = <TimeElement at={isoTime(createdAt)} as="day" />;
  const used = <TimeElement at={isoTime(lastUsedAt ?? createdAt)} />;
  return (
    <li>
      <div class="what">
        <span class="name" translate="no">
          {label}
        </span>
        <small>
          {email !== "" && (
            <>
              <Name text={email} />
              {" · "}
            </>
          )}
          {t.rich("profile.identities.used", { created, used })}
        </small>
      </div>
      <form method="post" action="/profile/identities/disconnect#identities">
        <input type="hidden" name="id" value={id} />
        <button class="danger small" aria-label={t("profile.identities.disconnectNamed", { provider: label })}>
          {t("profile.identities.disconnect")}
        </button>
      </form>
    </li>
  );
};
