/** Adding users, and invitations of users who have not signed in yet. */
import type { FC } from "hono/jsx";
import { isoTime } from "../../../lib/time/clock.ts";
import type { InvitationLink, PendingInvitation } from "../../../services/invitations/invitations.ts";
import { invitationPath } from "../../../services/invitations/tokens.ts";
import { Name, ShortName, StatusMessage, TimeElement } from "../../base/components.tsx";
import { useTexts } from "../../base/page-texts.tsx";

export const AddUser: FC<{ email: string }> = ({ email }) => {
  const t = useTexts();
  return (
    <form method="post" action="/admin/users" class="card">
      <h2>{t("admin.invite.title")}</h2>
      <div class="row">
        <label>
          {t("admin.invite.email")}
          <input name="email" type="email" required maxlength={254} value={email} autocomplete="off" />
        </label>
        <button>{t("admin.invite.submit")}</button>
      </div>
      <p class="hint">{t("admin.invite.hint")}</p>
    </form>
  );
};

/** A link that is shown only in this response. */
export const NewInvitationLink: FC<{ offered: InvitationLink; address: string; isSent: boolean }> = ({
  offered,
  address,
  isSent,
}) => {
  const t = useTexts();
  const { email, token, expiresAt } = offered;
  return (
    <section class="card" aria-labelledby="invitation-title">
      <h2 id="invitation-title">{t.rich("admin.invite.linkTitle", { email: <Name text={email} /> })}</h2>
      <StatusMessage text={t(isSent ? "admin.invite.onceSent" : "admin.invite.once")} />
      <div class="row">
        <label>
          {t("admin.invite.link")}
          <input class="key" id="invitation-link" readonly value={address + invitationPath(token)} autocomplete="off" />
        </label>
        <button type="button" class="plain" data-copy="invitation-link" hidden>
          {t("base.copy")}
        </button>
      </div>
      <p class="quiet">{t.rich("admin.invite.expires", { time: <TimeElement at={isoTime(expiresAt)} as="time" /> })}</p>
    </section>
  );
};

/** When the invitation of a user expires, and who invited them. */
export const InvitationFacts: FC<{ invitation: PendingInvitation }> = ({ invitation }) => {
  const t = useTexts();
  const { invitedBy, expiresAt, isExpired } = invitation;
  return (
    <>
      {invitedBy !== null && <small>{t.rich("admin.invite.by", { name: <ShortName text={invitedBy} /> })}</small>}
      <small>
        {isExpired || expiresAt === null
          ? t("admin.invite.expired")
          : t.rich("admin.invite.expires", { time: <TimeElement at={isoTime(expiresAt)} as="time" /> })}
      </small>
    </>
  );
};

interface InvitationActionsProps {
  userId: number;
  email: string;
  search: string;
  canSend: boolean;
}

/** The commands of an invited user. */
export const InvitationActions: FC<InvitationActionsProps> = ({ userId, email, search, canSend }) => {
  const t = useTexts();
  const action = (verb: keyof typeof ACTIONS) => {
    const { label, labelFor, kind } = ACTIONS[verb];
    return (
      <form method="post" action={`/admin/users/${userId}/${verb}`}>
        <input type="hidden" name="search" value={search} />
        <button class={kind} aria-label={t(labelFor, { email })}>
          {t(label)}
        </button>
      </form>
    );
  };
  return (
    <>
      {action("invite")}
      {canSend && action("send")}
      {action("revoke")}
      <p class="hint">{t("admin.invite.revokeHint")}</p>
    </>
  );
};

const ACTIONS = {
  invite: { label: "admin.users.link", labelFor: "admin.users.linkFor", kind: "plain" },
  send: { label: "admin.invite.send", labelFor: "admin.invite.sendFor", kind: "plain" },
  revoke: { label: "admin.invite.revoke", labelFor: "admin.invite.revokeFor", kind: "danger" },
} as const;
