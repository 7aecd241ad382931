import type { Child, FC } from "hono/jsx";
import { AppError } from "../../../errors.ts";
import { PASSWORD_MIN_LENGTH } from "../../../services/accounts/passwords.ts";
import { acceptInvitation, findInvitation, type Invitation } from "../../../services/invitations/accept-invitation.ts";
import { Name, ShortName, NewPasswordField } from "../../base/components.tsx";
import { errorPageStatus, errorPageText } from "../../base/error-page.tsx";
import { Page, StatusMessage } from "../../base/layout.tsx";
import { type PageContext, readFormFields } from "../../base/page-context.ts";
import type { PageRoutes } from "../../base/page-routes.ts";
import { pageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";
import { browserOf, followStep } from "../sign-in/page.tsx";

export const invitationRoutes: PageRoutes = (app) => {
  app.get("/invitation", showInvitation).post(accept);
};

/** Changes nothing: programs that preview or check links request them as well. */
function showInvitation(c: PageContext) {
  const token = c.req.query("token") ?? "";
  const { ctx } = c.env.call;
  const invitation = findInvitation(ctx, token);
  if (!invitation) return renderPage(c, <ExpiredLink />, 403);
  const page = ctx.identity.acceptsPasswords ? (
    <InvitationPage
      token={token}
      invitation={invitation}
      hasProviders={ctx.oidc.buttons.length > 0}
      name={(c.req.query("name") ?? "").slice(0, 200)}
    />
  ) : (
    <SignInInstead invitation={invitation} />
  );
  return renderPage(c, page);
}

async function accept(c: PageContext) {
  const form = await readFormFields(c, "token", "name", "password");
  const { ctx } = c.env.call;
  try {
    return followStep(c, await acceptInvitation(ctx, form, browserOf(c)), "");
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { token, name } = form;
    const invitation = findInvitation(ctx, token);
    if (!invitation) return renderPage(c, <ExpiredLink />, 403);
    const problem = errorPageText(pageTexts(c), error);
    const page = (
      <InvitationPage {...{ token, invitation, name, problem }} hasProviders={ctx.oidc.buttons.length > 0} />
    );
    return renderPage(c, page, errorPageStatus(c, error));
  }
}

/** The same for links that are unknown, used, revoked or expired, and of disabled users. */
const ExpiredLink: FC = () => {
  const t = useTexts();
  return (
    <Page title={t("invitation.expired.title")} narrow>
      <p>{t("invitation.expired.text")}</p>
      <p>
        <a href="/sign-in">{t("signIn.title")}</a>
      </p>
    </Page>
  );
};

const InvitedBy: FC<{ invitation: Invitation }> = ({ invitation: { inviter, email } }) => {
  const t = useTexts();
  return (
    <p>
      {inviter === null
        ? t.rich("invitation.text", { email: <Name text={email} /> })
        : t.rich("invitation.textBy", { inviter: <ShortName text={inviter} />, email: <Name text={email} /> })}
    </p>
  );
};

interface InvitationProps {
  token: string;
  invitation: Invitation;
  hasProviders: boolean;
  /** The suggestion of the link, or the input when the form was refused. */
  name?: string;
  problem?: Child;
}

const InvitationPage: FC<InvitationProps> = ({ token, invitation, hasProviders, name = "", problem }) => {
  const t = useTexts();
  return (
    <Page title={t("invitation.title")} narrow>
      <InvitedBy invitation={invitation} />
      {problem && <StatusMessage text={problem} problem atField />}
      <form method="post" action="/invitation" class="card">
        <input type="hidden" name="token" value={token} />
        <label>
          {t("invitation.name")}
          <input name="name" autocomplete="name" required maxlength={200} value={name} autofocus />
        </label>
        <label>
          {t("signIn.email")}
          <input name="email" type="email" autocomplete="username" value={invitation.email} readonly />
        </label>
        <NewPasswordField label={t("signIn.password")} />
        <p class="hint" id="password-hint">
          {t("invitation.hint", { length: PASSWORD_MIN_LENGTH })}
        </p>
        <button>{t("invitation.submit")}</button>
      </form>
      {hasProviders && (
        <p class="quiet">
          <a href="/sign-in">{t("invitation.provider")}</a>
        </p>
      )}
    </Page>
  );
};

/** The provider confirms the address, which connects the account. */
const SignInInstead: FC<{ invitation: Invitation }> = ({ invitation }) => {
  const t = useTexts();
  return (
    <Page title={t("invitation.title")} narrow>
      <InvitedBy invitation={invitation} />
      <p>
        <a class="button" href="/sign-in">
          {t("signIn.title")}
        </a>
      </p>
    </Page>
  );
};
