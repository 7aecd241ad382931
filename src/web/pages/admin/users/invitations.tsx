/** Invitations of users who have not signed in yet. */
import type { FC } from "hono/jsx";
import { isoTime } from "../../../../lib/time/clock.ts";
import { type PasswordReset, resetPath } from "../../../../services/accounts/password-resets.ts";
import type { InvitationLink, PendingInvitation } from "../../../../services/invitations/invitations.ts";
import { invitationPath } from "../../../../services/invitations/tokens.ts";
import { Name, ShortName, StatusMessage, TimeElement } from "../../../base/components.tsx";
import { useTexts } from "../../../base/page-texts.tsx";

/** Links that a command answers with, shown only in this response. */
export interface UserOffers {
  readonly invited?: InvitationLink;
  /** A link to set a new password. */
  readonly offered?: PasswordReset;
}

export const NewInvitationLink: FC<{ offered: InvitationLink; address: string }> = ({ offered, address }) => {
  const t = useTexts();
  const { email, name, token, expiresAt, isSent } = offered;
  return (
    <section class="card" aria-labelledby="invitation-title">
      <h2 id="invitation-title">{t.rich("admin.invite.linkTitle", { email: <Name text={email} /> })}</h2>
      <StatusMessage text={t(isSent ? "admin.invite.onceSent" : "admin.invite.once")} />
      <div class="row">
        <label>
          {t("admin.invite.link")}
          <input
            class="key"
            id="invitation-link"
            readonly
            value={address + invitationPath(token, name)}
            autocomplete="off"
          />
        </label>
        <button type="button" class="plain" data-copy="invitation-link" hidden>
          {t("base.copy")}
        </button>
      </div>
      <p class="quiet">{t.rich("admin.invite.expires", { time: <TimeElement at={isoTime(expiresAt)} as="time" /> })}</p>
    </section>
  );
};

/** A link to set a new password, shown only in this response. */
export const PasswordResetLink: FC<{ offered: PasswordReset; address: string }> = ({ offered, address }) => {
  const t = useTexts();
  return (
    <section class="card" aria-labelledby="reset-title">
      <h2 id="reset-title">{t.rich("admin.reset.title", { email: <Name text={offered.email} /> })}</h2>
      <StatusMessage text={t("admin.reset.once")} />
      <div class="row">
        <label>
          {t("admin.reset.link")}
          <input class="key" id="reset-link" readonly value={address + resetPath(offered.token)} autocomplete="off" />
        </label>
        <button type="button" class="plain" data-copy="reset-link" hidden>
          {t("base.copy")}
        </button>
      </div>
      <p class="quiet">
        {t.rich("admin.reset.expires", { time: <TimeElement at={isoTime(offered.expiresAt)} as="time" /> })}
      </p>
    </section>
  );
};

/** When the invitation of a user expires, and who invited them. */
export const InvitationFacts: FC<{ invitation: PendingInvitation }> = ({ invitation }) => {
  const t = useTexts();
  const { invitedBy, expiresAt, isExpired } = invitation;
  return (
    <>
      {invitedBy !== null && <small>{t.rich("admin.invite.by", { name: <ShortName text={invitedBy} /> })}</small>}{" "}
      <small>
        {isExpired || expiresAt === null
          ? t("admin.invite.expired")
          : t.rich("admin.invite.expires", { time: <TimeElement at={isoTime(expiresAt)} as="time" /> })}
      </small>
    </>
  );
};
