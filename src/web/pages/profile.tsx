import type { FC } from "hono/jsx";
import type { UserGrant } from "../../access.ts";
import { AppError } from "../../errors.ts";
import { readSessionCookie } from "../../lib/session-cookie.ts";
import { guardSignedIn } from "../../services/guards.ts";
import { createKey, listKeys, maskedKey, removeProfileKey } from "../../services/keys.ts";
import { PASSWORD_MAX, PASSWORD_MIN } from "../../services/passwords.ts";
import { describeProfile, renameSelf } from "../../services/profile.ts";
import { changePassword } from "../../services/sign-in.ts";
import { formTexts, visitor, type PageContext } from "../env.ts";
import { Note, Page } from "../layout.tsx";

interface Outcome {
  /** A key just made: the only time it is shown. */
  newKey?: string;
  done?: string;
  problem?: string;
}

export const showProfile = (c: PageContext) => withVisitor(c, () => ({}));

export const createKeyHere = (c: PageContext) =>
  withVisitor(c, (grant) => ({ newKey: createKey(c.env.call.ctx, grant, {}) }));

export const removeKeyHere = (c: PageContext) =>
  withVisitor(c, (grant) => {
    removeProfileKey(c.env.call.ctx, grant);
    return { done: "The API key is removed. Programs that used it are refused from now on." };
  });

export const rename = (c: PageContext) =>
  withVisitor(c, async (grant) => {
    const { name } = await formTexts(c, "name");
    renameSelf(c.env.call.ctx, grant, name);
    return { done: "The name is changed." };
  });

export const setPassword = (c: PageContext) =>
  withVisitor(c, async (grant) => {
    const { current, next } = await formTexts(c, "current", "next");
    await changePassword(c.env.call.ctx, grant, { current, next, keptToken: readSessionCookie(c.req.raw) });
    return { done: "The password is changed. Other browsers are signed out." };
  });

/** Does the work for whoever is signed in and shows the profile with what came of it; all others sign in first. */
async function withVisitor(c: PageContext, work: (grant: UserGrant) => Outcome | Promise<Outcome>) {
  const actor = visitor(c);
  if (!actor) return c.redirect("/sign-in", 303);
  const grant = guardSignedIn(actor);
  let outcome: Outcome;
  try {
    outcome = await work(grant);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    outcome = { problem: error.message };
  }
  // A page that shows a key must not stay in the browser's or a proxy's memory.
  c.header("Cache-Control", "no-store");
  return c.html(<Profile c={c} grant={grant} {...outcome} />, outcome.problem ? 400 : 200);
}

const Profile: FC<Outcome & { c: PageContext; grant: UserGrant }> = ({ c, grant, newKey, done, problem }) => {
  const { ctx, config, origin } = c.env.call;
  const profile = describeProfile(ctx, grant.actor);
  return (
    <Page title="Profile" user={grant.actor}>
      {problem && <Note text={problem} problem />}
      {done && <Note text={done} />}
      <section class="card" aria-labelledby="person">
        <h2 id="person">You</h2>
        <dl>
          <dt>Name</dt>
          <dd>{profile.name}</dd>
          <dt>E-mail</dt>
          <dd>{profile.email}</dd>
        </dl>
        <form method="post" action="/profile/name" class="row">
          <label>
            Change name
            <input name="name" autocomplete="name" required maxlength={200} value={profile.name} />
          </label>
          <button class="plain">Save</button>
        </form>
      </section>
      <section class="card" aria-labelledby="api">
        <h2 id="api">API</h2>
        <p class="quiet">Programs call the API with a key. It gives them the same permissions as you.</p>
        {newKey ? <NewKey value={newKey} origin={config.publicUrl ?? origin} /> : <PresentKey c={c} grant={grant} />}
      </section>
      <section class="card" aria-labelledby="password">
        <h2 id="password">Password</h2>
        <form method="post" action="/profile/password" class="row">
          <label>
            Present password
            <input name="current" type="password" autocomplete="current-password" maxlength={PASSWORD_MAX} />
          </label>
          <label>
            New password
            <input
              name="next"
              type="password"
              autocomplete="new-password"
              required
              minlength={PASSWORD_MIN}
              maxlength={PASSWORD_MAX}
            />
          </label>
          <button class="plain">Change</button>
        </form>
      </section>
    </Page>
  );
};

const PresentKey: FC<{ c: PageContext; grant: UserGrant }> = ({ c, grant }) => {
  const key = listKeys(c.env.call.ctx, grant).find(({ label }) => label === null);
  if (!key) {
    return (
      <form method="post" action="/profile/key">
        <button>Create</button>
      </form>
    );
  }
  return (
    <>
      <dl>
        <dt>Key</dt>
        <dd>
          <code>{maskedKey(key)}</code>
        </dd>
        <dt>Created</dt>
        <dd>{day(key.createdAt)}</dd>
        <dt>Last used</dt>
        <dd>{key.lastUsedAt === null ? "never" : day(key.lastUsedAt)}</dd>
      </dl>
      <RemoveKey />
    </>
  );
};

const RemoveKey: FC = () => (
  <form method="post" action="/profile/key/remove">
    <button class="danger">Remove</button>
  </form>
);

const NewKey: FC<{ value: string; origin: string }> = ({ value, origin }) => (
  <>
    <Note text="Keep this key now: it cannot be shown again." />
    <div class="row">
      <label>
        Your new API key
        <input class="key" id="new-key" readonly value={value} autocomplete="off" spellcheck={false} />
      </label>
      <button type="button" data-copy="new-key" hidden>
        Copy
      </button>
    </div>
    <p class="quiet">Try it:</p>
    <pre>{`curl -H "Authorization: Bearer ${value}" ${origin}/api/orgs`}</pre>
    <RemoveKey />
  </>
);

/** A day as UTC has it; which zone the reader lives in is not known here. */
const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
