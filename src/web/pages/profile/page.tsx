import type { Child, FC } from "hono/jsx";
import { SCOPE_NAMES, type UserGrant } from "../../../authorization.ts";
import { AppError, invalid, notFound } from "../../../errors.ts";
import { readSessionCookie } from "../../../lib/network/session-cookie.ts";
import { createKey, listKeys, profileKey, removeProfileKey, revokeKey } from "../../../services/accounts/keys.ts";
import type { RequestedLimits } from "../../../services/keys/requested-limits.ts";
import { hasPassword, PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from "../../../services/accounts/passwords.ts";
import { describeProfile, renameSelf, setLocale } from "../../../services/accounts/profile.ts";
import { endOtherSessions, endSession, listSessions } from "../../../services/accounts/sessions.ts";
import { changePassword } from "../../../services/accounts/sign-in.ts";
import { SessionList } from "./sessions.tsx";
import { LabelledKeys, KEY_LIFETIMES, CreatedKey, CurrentKey, RemoveKey, scopeField } from "./keys.tsx";
import { readFormFields, publicUrl, type PageContext } from "../../base/page-context.ts";
import { withSignedInUser } from "../../base/page-guards.tsx";
import { StatusMessage, Page } from "../../base/layout.tsx";
import { AccountSidebar } from "../../base/shell/account-sidebar.tsx";
import { NewPasswordField } from "../../base/components.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { errorPageStatus, errorPageText } from "../../base/error-page.tsx";
import { HELP_LINKS } from "../../base/help/help-links.ts";
import { pageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";
import { LANGUAGES } from "../../texts/languages.ts";
import type { LabelKey } from "../../texts/texts.ts";
import { disconnectIdentity } from "../../../services/oidc/identities.ts";
import { hasIdentities, Identities } from "./identities.tsx";
import { LanguageForm } from "./language.tsx";

/** The parts of the page; each is also the fragment that its forms redirect to. */
type ProfileSection = "you" | "api" | "keys" | "sessions" | "identities" | "password";

/** Confirmations, by the `done` parameter of the URL. */
const SUCCESS_MESSAGES: Record<string, SuccessMessage> = {
  name: { part: "you", text: "profile.nameChanged" },
  language: { part: "you", text: "profile.language.changed" },
  key: { part: "api", text: "profile.api.deleted" },
  revoked: { part: "keys", text: "profile.keys.revoked" },
  session: { part: "sessions", text: "profile.sessions.ended" },
  sessions: { part: "sessions", text: "profile.sessions.othersEnded" },
  identity: { part: "identities", text: "profile.identities.connected" },
  disconnected: { part: "identities", text: "profile.identities.disconnected" },
  password: { part: "password", text: "profile.password.changed" },
};

interface SuccessMessage {
  part: ProfileSection;
  text: LabelKey;
}

/** The input of a refused form, by field name, without secrets. */
type SubmittedFields = Readonly<Partial<Record<"name" | "label", string>>>;

interface ProfileOutcome {
  /** A new key: shown only in this response. */
  newKey?: { part: "api" | "keys"; value: string };
  typed?: SubmittedFields;
  done?: SuccessMessage | undefined;
  problem?: { part: ProfileSection; text: Child };
}

export const profileRoutes: PageRoutes = (app) => {
  app.get("/profile", showProfile);
  app.post("/profile/name", rename);
  app.post("/profile/language", setLanguage);
  app.post("/profile/password", setPassword);
  app.post("/profile/key", createKeyHere);
  app.post("/profile/key/remove", removeKeyHere);
  app.post("/profile/keys", createLabelledKeyHere);
  app.post("/profile/keys/revoke", revokeKeyHere);
  app.post("/profile/identities/disconnect", disconnectHere);
  app.post("/profile/sessions/end", endSessionHere);
  app.post("/profile/sessions/end-others", endOtherSessionsHere);
  // The paths of forms, which the address bar shows after an error or a new key.
  for (const form of [
    "name",
    "language",
    "password",
    "key",
    "keys",
    "keys/revoke",
    "identities/disconnect",
    "sessions/end",
    "sessions/end-others",
  ]) {
    app.get(`/profile/${form}`, (c) => c.redirect("/profile"));
  }
};

const showProfile = (c: PageContext) =>
  withSignedInUser(c, (grant) => {
    const { done = "", ...typed } = c.req.query();
    return renderPage(c, <Profile c={c} grant={grant} done={SUCCESS_MESSAGES[done]} typed={typed} />);
  });

const createKeyHere = (c: PageContext) =>
  handleChange(c, "api", (grant) => {
    // Resubmitting the form, as reloading the page does, must not replace the key.
    if (profileKey(c.env.call.ctx, grant.actor)) {
      const problem = { part: "api", text: pageTexts(c)("profile.api.exists") } as const;
      return renderPage(c, <Profile c={c} grant={grant} problem={problem} />, 400);
    }
    return renderPage(
      c,
      <Profile c={c} grant={grant} newKey={{ part: "api", value: createKey(c.env.call.ctx, grant, {}) }} />,
    );
  });

const DAY_MS = 24 * 60 * 60 * 1000;

/** Creates a key with a label. Labels are unique, so resubmitting the form creates no second key. */
const createLabelledKeyHere = async (c: PageContext) => {
  const fields = await readFormFields(c, "label", "days", "documents", "networks", ...SCOPE_NAMES.map(scopeField));
  const { label, days } = fields;
  return handleChange(c, { part: "keys", typed: { label } }, (grant) => {
    const { ctx } = c.env.call;
    if (!(KEY_LIFETIMES as readonly string[]).includes(days)) throw invalid("Key lifetime is too long");
    const expiresAt = days === "" ? null : ctx.clock.now() + Number(days) * DAY_MS;
    const value = createKey(ctx, grant, { label: label.trim(), expiresAt, ...limitsOf(fields) });
    return renderPage(c, <Profile c={c} grant={grant} newKey={{ part: "keys", value }} />);
  });
};

type LimitField = "documents" | "networks" | ReturnType<typeof scopeField>;

/** Returns the limits of a new key. An empty field, and no scope, do not limit it. */
function limitsOf(fields: Readonly<Record<LimitField, string>>): RequestedLimits {
  const nullIfEmpty = <T,>(list: readonly T[]) => (list.length > 0 ? [...list] : null);
  const listOf = (text: string) => nullIfEmpty(text.split(/[\s,]+/).filter((name) => name !== ""));
  const documents = listOf(fields.documents);
  return {
    scopes: nullIfEmpty(SCOPE_NAMES.filter((scope) => fields[scopeField(scope)] !== "")),
    restrictions: documents && { documents },
    networks: listOf(fields.networks),
  };
}

const revokeKeyHere = (c: PageContext) =>
  handleChange(c, "keys", async (grant) => {
    const { id } = await readFormFields(c, "id");
    const { ctx } = c.env.call;
    // The profile key has a form of its own.
    const key = listKeys(ctx, grant).find((each) => String(each.id) === id && each.label !== null);
    if (!key) throw notFound("Key not found", "key.not_found");
    revokeKey(ctx, grant, { id: key.id });
    return c.redirect("/profile?done=revoked", 303);
  });

const removeKeyHere = (c: PageContext) =>
  handleChange(c, "api", (grant) => {
    removeProfileKey(c.env.call.ctx, grant);
    return c.redirect("/profile?done=key", 303);
  });

const endSessionHere = (c: PageContext) =>
  handleChange(c, "sessions", async (grant) => {
    const { id } = await readFormFields(c, "id");
    endSession(c.env.call.ctx, grant, id);
    return c.redirect("/profile?done=session", 303);
  });

const endOtherSessionsHere = (c: PageContext) =>
  handleChange(c, "sessions", (grant) => {
    endOtherSessions(c.env.call.ctx, grant, readSessionCookie(c.req.raw));
    return c.redirect("/profile?done=sessions", 303);
  });

const disconnectHere = (c: PageContext) =>
  handleChange(c, "identities", async (grant) => {
    const { id } = await readFormFields(c, "id");
    disconnectIdentity(c.env.call.ctx, grant, id);
    return c.redirect("/profile?done=disconnected", 303);
  });

const rename = async (c: PageContext) => {
  const { name } = await readFormFields(c, "name");
  return handleChange(c, { part: "you", typed: { name } }, (grant) => {
    renameSelf(c.env.call.ctx, grant, name);
    return c.redirect("/profile?done=name", 303);
  });
};

const setLanguage = async (c: PageContext) => {
  const { language } = await readFormFields(c, "language");
  return handleChange(c, "you", (grant) => {
    if (language !== "" && !Object.hasOwn(LANGUAGES, language)) throw invalid("Unknown language");
    setLocale(c.env.call.ctx, grant, language);
    return c.redirect("/profile?done=language", 303);
  });
};

const setPassword = (c: PageContext) =>
  handleChange(c, "password", async (grant) => {
    const { current, next: newPassword } = await readFormFields(c, "current", "next");
    await changePassword(c.env.call.ctx, grant, { current, newPassword, currentToken: readSessionCookie(c.req.raw) });
    return c.redirect("/profile?done=password", 303);
  });

/**
 * Makes a change; errors are shown on the profile, in the part of the form. After signing in again users return there,
 * with their input.
 */
const handleChange = (
  c: PageContext,
  section: ProfileSection | { part: ProfileSection; typed: SubmittedFields },
  action: (grant: UserGrant) => Response | Promise<Response>,
) => {
  const { part, typed = {} } = typeof section === "string" ? { part: section } : section;
  const run = async (grant: UserGrant): Promise<Response> => {
    try {
      return await action(grant);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const problem = { part, text: errorPageText(pageTexts(c), error) };
      return renderPage(c, <Profile c={c} grant={grant} problem={problem} typed={typed} />, errorPageStatus(c, error));
    }
  };
  const queryParams = new URLSearchParams(Object.entries(typed).filter(([, text]) => text !== "")).toString();
  return withSignedInUser(c, run, `/profile${queryParams && `?${queryParams}`}#${part}`);
};

const Profile: FC<ProfileOutcome & { c: PageContext; grant: UserGrant }> = ({ c, grant, newKey, typed, ...notes }) => {
  const t = useTexts();
  const { ctx } = c.env.call;
  const keys = listKeys(ctx, grant);
  const address = publicUrl(c);
  const profile = describeProfile(ctx, grant.actor);
  return (
    <Page
      title={t("profile.title")}
      user={grant.actor}
      here="/profile"
      sidebar={<AccountSidebar here="/profile" user={grant.actor} />}
    >
      <Section part="you" title={t("profile.account")} {...notes}>
        <dl>
          <dt>{t("profile.name")}</dt>
          <dd translate="no">{profile.name}</dd>
          <dt>{t("profile.email")}</dt>
          <dd translate="no">{profile.email}</dd>
        </dl>
        <form method="post" action="/profile/name#you" class="row">
          <label>
            {t("profile.changeName")}
            <input name="name" autocomplete="name" required maxlength={200} value={typed?.name ?? profile.name} />
          </label>
          <button class="plain">{t("profile.save")}</button>
        </form>
        <LanguageForm languages={Object.keys(LANGUAGES)} chosen={profile.locale ?? null} />
      </Section>
      <Section part="api" title={t("profile.api")} {...notes}>
        <p class="quiet">
          {t.rich("profile.api.about", {
            link: (content) => <a href="/reference">{content}</a>,
            guide: (content) => <a href={HELP_LINKS.api}>{content}</a>,
          })}
        </p>
        {newKey?.part === "api" ? (
          <>
            <CreatedKey value={newKey.value} address={address} />
            <RemoveKey />
          </>
        ) : (
          <CurrentKey apiKey={keys.find((key) => key.label === null)} />
        )}
      </Section>
      <Section part="keys" title={t("profile.keys")} {...notes}>
        <p class="quiet">{t("profile.keys.about")}</p>
        {newKey?.part === "keys" && <CreatedKey value={newKey.value} address={address} />}
        <LabelledKeys
          keys={keys.filter((key) => key.label !== null)}
          now={ctx.clock.now()}
          label={typed?.label ?? ""}
        />
      </Section>
      {/* Users authenticated by the reverse proxy sign in there. */}
      {grant.actor.via !== "proxy" && (
        <Section part="sessions" title={t("profile.sessions")} {...notes}>
          <p class="quiet">{t("profile.sessions.about")}</p>
          <Sessions c={c} grant={grant} />
        </Section>
      )}
      {grant.actor.via !== "proxy" && hasIdentities(ctx, grant) && (
        <Section part="identities" title={t("profile.identities")} {...notes}>
          <Identities ctx={ctx} grant={grant} sessionToken={readSessionCookie(c.req.raw)} />
        </Section>
      )}
      {grant.actor.via !== "proxy" && ctx.identity.acceptsPasswords && (
        <Section part="password" title={t("profile.password")} {...notes}>
          <PasswordForm email={profile.email} asksCurrent={hasPassword(ctx, grant)} />
          <p>
            <a href="/profile/security">{t("security.link")}</a>
          </p>
        </Section>
      )}
    </Page>
  );
};

const Sessions: FC<{ c: PageContext; grant: UserGrant }> = async ({ c, grant }) => {
  const { sessions } = await listSessions(c.env.call.ctx, grant, readSessionCookie(c.req.raw));
  return <SessionList sessions={sessions} />;
};

const Section: FC<
  Pick<ProfileOutcome, "done" | "problem"> & { part: ProfileSection; title: string; children?: Child }
> = (props) => (
  <section class="card" id={props.part} aria-labelledby={`${props.part}-title`}>
    <h2 id={`${props.part}-title`}>{props.title}</h2>
    {props.done?.part === props.part && <StatusMessage text={useTexts()(props.done.text)} />}
    {props.problem?.part === props.part && <StatusMessage text={props.problem.text} problem />}
    {props.children}
  </section>
);

const PasswordForm: FC<{ email: string; asksCurrent: boolean }> = ({ email, asksCurrent }) => {
  const t = useTexts();
  return (
    <form method="post" action="/profile/password#password">
      {/* Tells password managers which account the password is for. */}
      <input type="text" name="email" autocomplete="username" value={email} readonly hidden />
      <div class="row">
        {asksCurrent && (
          <label>
            {t("profile.password.current")}
            <input
              name="current"
              type="password"
              autocomplete="current-password"
              required
              maxlength={PASSWORD_MAX_LENGTH}
            />
          </label>
        )}
        <NewPasswordField label={t("profile.password.new")} name="next" />
      </div>
      <p class="hint" id="password-hint">
        {t("profile.password.hint", { length: PASSWORD_MIN_LENGTH })}
      </p>
      <button class="plain">{t(asksCurrent ? "profile.password.change" : "profile.password.set")}</button>
    </form>
  );
};
