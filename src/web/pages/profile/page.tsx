import type { Child, FC } from "hono/jsx";
import type { UserGrant } from "../../../authorization.ts";
import { AppError, invalid, notFound } from "../../../errors.ts";
import { readSessionCookie } from "../../../lib/network/session-cookie.ts";
import { createKey, listKeys, profileKey, removeProfileKey, revokeKey } from "../../../services/accounts/keys.ts";
import { hasPassword, PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from "../../../services/accounts/passwords.ts";
import { describeProfile, renameSelf } from "../../../services/accounts/profile.ts";
import { changePassword } from "../../../services/accounts/sign-in.ts";
import { LabelledKeys, KEY_LIFETIMES, CreatedKey, CurrentKey, RemoveKey } from "./keys.tsx";
import { readFormFields, publicUrl, type PageContext } from "../../base/page-context.ts";
import { withSignedInUser } from "../../base/page-guards.tsx";
import { StatusMessage, Page } from "../../base/layout.tsx";
import { NewPasswordField } from "../../base/components.tsx";
import type { PageRoutes } from "../../base/page-routes.ts";
import { errorPageStatus, errorPageText } from "../../base/error-page.tsx";

/** The parts of the page; each is also the fragment that its forms redirect to. */
type ProfileSection = "you" | "api" | "keys" | "password";

/** Confirmations, by the `done` parameter of the URL. */
const SUCCESS_MESSAGES: Record<string, { part: ProfileSection; text: string }> = {
  name: { part: "you", text: "Name changed." },
  key: { part: "api", text: "API key deleted. Programs that use it are refused from now on." },
  revoked: { part: "keys", text: "Key revoked. Programs that use it are refused from now on." },
  password: { part: "password", text: "Password changed. Other browsers are signed out." },
};

/** The input of a refused form, by field name, without secrets. */
type SubmittedFields = Readonly<Partial<Record<"name" | "label", string>>>;

interface ProfileOutcome {
  /** A new key: shown only in this response. */
  newKey?: { part: "api" | "keys"; value: string };
  typed?: SubmittedFields;
  done?: { part: ProfileSection; text: string } | undefined;
  problem?: { part: ProfileSection; text: string };
}

export const profileRoutes: PageRoutes = (app) => {
  app.get("/profile", showProfile);
  app.post("/profile/name", rename);
  app.post("/profile/password", setPassword);
  app.post("/profile/key", createKeyHere);
  app.post("/profile/key/remove", removeKeyHere);
  app.post("/profile/keys", createLabelledKeyHere);
  app.post("/profile/keys/revoke", revokeKeyHere);
  // The paths of forms, which the address bar shows after an error or a new key.
  for (const path of ["/profile/name", "/profile/password", "/profile/key", "/profile/keys", "/profile/keys/revoke"]) {
    app.get(path, (c) => c.redirect("/profile"));
  }
};

const showProfile = (c: PageContext) =>
  withSignedInUser(c, (grant) => {
    const { done = "", ...typed } = c.req.query();
    return c.html(<Profile c={c} grant={grant} done={SUCCESS_MESSAGES[done]} typed={typed} />);
  });

const createKeyHere = (c: PageContext) =>
  handleChange(c, "api", (grant) => {
    // Resubmitting the form, as reloading the page does, must not replace the key.
    if (profileKey(c.env.call.ctx, grant.actor))
      throw invalid("You already have an API key; delete it to create another");
    return c.html(
      <Profile c={c} grant={grant} newKey={{ part: "api", value: createKey(c.env.call.ctx, grant, {}) }} />,
    );
  });

const DAY_MS = 24 * 60 * 60 * 1000;

/** Creates a key with a label. Labels are unique, so resubmitting the form creates no second key. */
const createLabelledKeyHere = async (c: PageContext) => {
  const { label, days } = await readFormFields(c, "label", "days");
  return handleChange(c, { part: "keys", typed: { label } }, (grant) => {
    const { ctx } = c.env.call;
    if (!Object.hasOwn(KEY_LIFETIMES, days)) throw invalid("Key lifetime is too long");
    const expiresAt = days === "" ? null : ctx.clock.now() + Number(days) * DAY_MS;
    const value = createKey(ctx, grant, { label: label.trim(), expiresAt });
    return c.html(<Profile c={c} grant={grant} newKey={{ part: "keys", value }} />);
  });
};

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

const rename = async (c: PageContext) => {
  const { name } = await readFormFields(c, "name");
  return handleChange(c, { part: "you", typed: { name } }, (grant) => {
    renameSelf(c.env.call.ctx, grant, name);
    return c.redirect("/profile?done=name", 303);
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
      const problem = { part, text: errorPageText(error) };
      return c.html(<Profile c={c} grant={grant} problem={problem} typed={typed} />, errorPageStatus(c, error));
    }
  };
  const queryParams = new URLSearchParams(Object.entries(typed).filter(([, text]) => text !== "")).toString();
  return withSignedInUser(c, run, `/profile${queryParams && `?${queryParams}`}#${part}`);
};

const Profile: FC<ProfileOutcome & { c: PageContext; grant: UserGrant }> = ({ c, grant, newKey, typed, ...notes }) => {
  const { ctx } = c.env.call;
  const keys = listKeys(ctx, grant);
  const address = publicUrl(c);
  const profile = describeProfile(ctx, grant.actor);
  return (
    <Page title="Profile" user={grant.actor} here="/profile">
      <Section part="you" title="Account" {...notes}>
        <dl>
          <dt>Name</dt>
          <dd>{profile.name}</dd>
          <dt>Email</dt>
          <dd>{profile.email}</dd>
        </dl>
        <form method="post" action="/profile/name#you" class="row">
          <label>
            Change name
            <input name="name" autocomplete="name" required maxlength={200} value={typed?.name ?? profile.name} />
          </label>
          <button class="plain">Save</button>
        </form>
      </Section>
      <Section part="api" title="API" {...notes}>
        <p class="quiet">
          Programs call the <a href="/reference">API</a> with a key. It gives them the same permissions as you.
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
      <Section part="keys" title="Labelled API keys" {...notes}>
        <p class="quiet">Create one key per program, so that you can revoke each separately.</p>
        {newKey?.part === "keys" && <CreatedKey value={newKey.value} address={address} />}
        <LabelledKeys
          keys={keys.filter((key) => key.label !== null)}
          now={ctx.clock.now()}
          label={typed?.label ?? ""}
        />
      </Section>
      {/* Users authenticated by the reverse proxy sign in there. */}
      {grant.actor.via !== "proxy" && (
        <Section part="password" title="Password" {...notes}>
          <PasswordForm email={profile.email} asksCurrent={hasPassword(ctx, grant)} />
        </Section>
      )}
    </Page>
  );
};

const Section: FC<
  Pick<ProfileOutcome, "done" | "problem"> & { part: ProfileSection; title: string; children?: Child }
> = (props) => (
  <section class="card" id={props.part} aria-labelledby={`${props.part}-title`}>
    <h2 id={`${props.part}-title`}>{props.title}</h2>
    {props.done?.part === props.part && <StatusMessage text={props.done.text} />}
    {props.problem?.part === props.part && <StatusMessage text={props.problem.text} problem />}
    {props.children}
  </section>
);

const PasswordForm: FC<{ email: string; asksCurrent: boolean }> = ({ email, asksCurrent }) => (
  <form method="post" action="/profile/password#password">
    {/* Tells password managers which account the password is for. */}
    <input type="text" name="email" autocomplete="username" value={email} readonly hidden />
    <div class="row">
      {asksCurrent && (
        <label>
          Current password
          <input
            name="current"
            type="password"
            autocomplete="current-password"
            required
            maxlength={PASSWORD_MAX_LENGTH}
          />
        </label>
      )}
      <NewPasswordField label="New password" name="next" />
    </div>
    <p class="hint" id="password-hint">
      At least {PASSWORD_MIN_LENGTH} characters. Changing it signs other browsers out.
    </p>
    <button class="plain">{asksCurrent ? "Change" : "Set"}</button>
  </form>
);
