/** The second factors and passkeys of a user. */
import type { Child, FC } from "hono/jsx";
import type { UserGrant } from "../../../authorization.ts";
import { AppError } from "../../../errors.ts";
import {
  clearFactorCookie,
  type FactorCookie,
  readFactorCookie,
  serializeFactorCookie,
} from "../../../lib/network/factor-cookies.ts";
import { readSessionCookie } from "../../../lib/network/session-cookie.ts";
import { hasPassword } from "../../../services/accounts/passwords.ts";
import { listPasskeys, removePasskey, renamePasskey } from "../../../services/passkeys/passkeys.ts";
import { findRelyingParty } from "../../../services/passkeys/relying-party.ts";
import { CONFIRMATION_LIFETIME_MS, confirmUser } from "../../../services/second-factor/confirmation.ts";
import {
  beginAuthenticator,
  confirmAuthenticator,
  describeEnrolment,
  describeFactors,
  ENROLMENT_LIFETIME_MS,
  removeAuthenticator,
  replaceRecoveryCodes,
} from "../../../services/second-factor/factors.ts";
import { errorPageStatus, errorPageText } from "../../base/error-page.tsx";
import { AccountSidebar } from "../../base/shell/account-sidebar.tsx";
import { Page, StatusMessage } from "../../base/layout.tsx";
import { isSecureContext, readFormFields, type PageContext } from "../../base/page-context.ts";
import { withSignedInUser } from "../../base/page-guards.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { pageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";
import type { LabelKey } from "../../texts/texts.ts";
import { AuthenticatorSetUp, RecoveryCodeList } from "../second-factor/components.tsx";
import { ConfirmForm, PasskeySection, TwoStepSection } from "./sections.tsx";

const PATH = "/profile/security";
const SET_UP_PATH = `${PATH}/authenticator`;

/** Confirmations, by the `done` parameter of the URL. */
const SUCCESS_MESSAGES: Readonly<Record<string, LabelKey>> = {
  confirmed: "security.confirmed",
  removed: "security.authenticator.removed",
  added: "security.passkeys.added",
  renamed: "security.passkeys.renamed",
  passkey: "security.passkeys.removed",
};

export const securityRoutes: PageRoutes = (app) => {
  app.get(PATH, showSecurity);
  app.get(SET_UP_PATH, showAuthenticator);
  app.post(SET_UP_PATH, startAuthenticator);
  app.post(`${PATH}/confirm`, confirmHere);
  app.post(`${SET_UP_PATH}/add`, addHere);
  app.post(`${SET_UP_PATH}/remove`, removeHere);
  app.post(`${PATH}/recovery-codes`, replaceCodesHere);
  app.post(`${PATH}/passkeys/rename`, renamePasskeyHere);
  app.post(`${PATH}/passkeys/remove`, removePasskeyHere);
  // The paths of forms, which the address bar shows after an error or new codes.
  for (const form of [
    "confirm",
    "authenticator/add",
    "authenticator/remove",
    "recovery-codes",
    "passkeys/rename",
    "passkeys/remove",
  ]) {
    app.get(`${PATH}/${form}`, (c) => c.redirect(PATH));
  }
};

const cookiesOf = ({ req }: PageContext) => ({
  session: readSessionCookie(req.raw),
  confirmed: readFactorCookie(req.raw, "confirmed"),
});

function setFlowCookie(c: PageContext, cookie: FactorCookie, value: string, lifetimeMs: number): void {
  const attributes = { maxAgeS: lifetimeMs / 1000, secure: isSecureContext(c) };
  c.header("Set-Cookie", serializeFactorCookie(cookie, value, attributes), { append: true });
}

const showSecurity = (c: PageContext) =>
  withSignedInUser(c, (grant) => {
    const key = c.req.query("done") ?? "";
    const message = Object.hasOwn(SUCCESS_MESSAGES, key) ? SUCCESS_MESSAGES[key] : undefined;
    return renderPage(c, <Security c={c} grant={grant} done={message} />);
  });

const confirmHere = (c: PageContext) =>
  handleChange(c, async (grant) => {
    const { password, code } = await readFormFields(c, "password", "code");
    const input = password === "" ? { code } : { password };
    const confirmed = await confirmUser(c.env.call.ctx, grant, { ...input, session: readSessionCookie(c.req.raw) });
    setFlowCookie(c, "confirmed", confirmed, CONFIRMATION_LIFETIME_MS);
    return c.redirect(`${PATH}?done=confirmed`, 303);
  });

const startAuthenticator = (c: PageContext) =>
  handleChange(c, async (grant) => {
    const { enrolment } = await beginAuthenticator(c.env.call.ctx, grant, cookiesOf(c));
    setFlowCookie(c, "enrolment", enrolment, ENROLMENT_LIFETIME_MS);
    return c.redirect(SET_UP_PATH, 303);
  });

const showAuthenticator = (c: PageContext) =>
  withSignedInUser(c, (grant) => renderSetUp(c, grant).then((page) => page ?? c.redirect(PATH, 303)));

/** Returns the page with the QR code; null if there is no secret to confirm. */
async function renderSetUp(c: PageContext, grant: UserGrant, error?: AppError): Promise<Response | null> {
  const totp = await describeEnrolment(c.env.call.ctx, grant.actor, readFactorCookie(c.req.raw, "enrolment"));
  if (!totp) return null;
  const problem = error && errorPageText(pageTexts(c), error);
  const page = <SetUpPage grant={grant} totp={totp} problem={problem} />;
  return renderPage(c, page, error && errorPageStatus(c, error));
}

const addHere = (c: PageContext) =>
  handleChange(c, async (grant) => {
    const { code } = await readFormFields(c, "code");
    const enrolment = readFactorCookie(c.req.raw, "enrolment");
    try {
      const input = { code, enrolment, cookies: cookiesOf(c) };
      const codes = await confirmAuthenticator(c.env.call.ctx, grant, input);
      c.header("Set-Cookie", clearFactorCookie("enrolment"), { append: true });
      return await renderPage(c, <Security c={c} grant={grant} done="security.authenticator.added" codes={codes} />);
    } catch (error) {
      const isWrongCode = error instanceof AppError && error.reason === "second_factor.code";
      const page = isWrongCode ? await renderSetUp(c, grant, error) : null;
      if (!page) throw error;
      return page;
    }
  });

const removeHere = (c: PageContext) =>
  handleChange(c, (grant) => {
    removeAuthenticator(c.env.call.ctx, grant, cookiesOf(c));
    return c.redirect(`${PATH}?done=removed`, 303);
  });

const replaceCodesHere = (c: PageContext) =>
  handleChange(c, (grant) => {
    const codes = replaceRecoveryCodes(c.env.call.ctx, grant, cookiesOf(c));
    return renderPage(c, <Security c={c} grant={grant} done="security.codes.replaced" codes={codes} />);
  });

const renamePasskeyHere = (c: PageContext) =>
  handleChange(c, async (grant) => {
    const { id, name } = await readFormFields(c, "id", "name");
    renamePasskey(c.env.call.ctx, grant, { id, name, cookies: cookiesOf(c) });
    return c.redirect(`${PATH}?done=renamed#passkeys`, 303);
  });

const removePasskeyHere = (c: PageContext) =>
  handleChange(c, async (grant) => {
    const { id } = await readFormFields(c, "id");
    removePasskey(c.env.call.ctx, grant, { id, cookies: cookiesOf(c) });
    return c.redirect(`${PATH}?done=passkey#passkeys`, 303);
  });

/** Makes a change; errors are shown on the page. After signing in again users return there. */
const handleChange = (c: PageContext, action: (grant: UserGrant) => Response | Promise<Response>) => {
  const run = async (grant: UserGrant): Promise<Response> => {
    try {
      return await action(grant);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const problem = errorPageText(pageTexts(c), error);
      return renderPage(c, <Security c={c} grant={grant} problem={problem} />, errorPageStatus(c, error));
    }
  };
  return withSignedInUser(c, run, PATH);
};

interface SecurityProps {
  c: PageContext;
  grant: UserGrant;
  done?: LabelKey | undefined;
  problem?: Child;
  /** New recovery codes: shown only in this response. */
  codes?: readonly string[];
}

const Security: FC<SecurityProps> = ({ c, grant, done, problem, codes = [] }) => {
  const t = useTexts();
  const { ctx, config, origin } = c.env.call;
  const state = describeFactors(ctx, grant, cookiesOf(c));
  const party = findRelyingParty(config, origin);
  const obstacle = "obstacle" in party ? party.obstacle : null;
  // A reverse proxy signs its users in, and asks for what it requires.
  const isHere = grant.actor.via === "session";
  return (
    <Page
      title={t("security.title")}
      user={grant.actor}
      here="/profile/security"
      bundle="security"
      sidebar={<AccountSidebar here="/profile/security" user={grant.actor} />}
      crumbs={[{ to: "/profile", label: t("profile.title") }]}
    >
      {done && <StatusMessage text={t(done)} />}
      {problem && <StatusMessage text={problem} problem />}
      {!isHere && <p>{t("security.proxy")}</p>}
      {codes.length > 0 && <RecoveryCodeList codes={codes} />}
      {isHere && state.confirmedUntil === null && (
        <ConfirmForm email={grant.actor.email} hasPassword={hasPassword(ctx, grant)} hasCodes={state.isOn} />
      )}
      {isHere && <TwoStepSection state={state} />}
      {isHere && (
        <PasskeySection
          passkeys={listPasskeys(ctx, grant)}
          obstacle={obstacle}
          publicUrl={config.publicUrl}
          canChange={state.confirmedUntil !== null}
        />
      )}
    </Page>
  );
};

const SetUpPage: FC<{ grant: UserGrant; totp: { secret: string; uri: string }; problem?: Child }> = (props) => {
  const t = useTexts();
  return (
    <Page title={t("secondFactor.add.title")} user={props.grant.actor} narrow bundle="security">
      {props.problem && <StatusMessage text={props.problem} problem />}
      <AuthenticatorSetUp
        action="/profile/security/authenticator/add"
        totp={props.totp}
        submit={t("security.authenticator.confirm")}
      />
      <p>
        <a href={PATH}>{t("base.cancel")}</a>
      </p>
    </Page>
  );
};
