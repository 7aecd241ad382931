/** The API keys of a user on the profile page. */
import type { FC } from "hono/jsx";
import { SCOPE_NAMES, type Scope } from "../../../authorization.ts";
import { isoTime } from "../../../lib/time/clock.ts";
import { describeLimits, maskedKey, type ListedKey } from "../../../services/accounts/keys.ts";
import { Badge, StatusMessage, TimeElement } from "../../base/components.tsx";
import { useTexts, type PageTexts } from "../../base/page-texts.tsx";
import type { LabelKey } from "../../texts/texts.ts";

export const CurrentKey: FC<{ apiKey: ListedKey | undefined }> = ({ apiKey }) => {
  const t = useTexts();
  if (!apiKey) {
    return (
      <form method="post" action="/profile/key#api">
        <button>{t("profile.api.create")}</button>
      </form>
    );
  }
  return (
    <>
      <dl>
        <dt>{t("profile.api.key")}</dt>
        <dd>
          <code translate="no">{maskedKey(apiKey)}</code>
        </dd>
        <dt>{t("profile.api.created")}</dt>
        <dd>
          <TimeElement at={isoTime(apiKey.createdAt)} as="day" />
        </dd>
        <dt>{t("profile.api.lastUsed")}</dt>
        <dd>
          <LastUsed of={apiKey} />
        </dd>
      </dl>
      <RemoveKey />
    </>
  );
};

const LastUsed: FC<{ of: ListedKey }> = ({ of: { lastUsedAt } }) =>
  lastUsedAt === null ? <>{useTexts()("profile.api.never")}</> : <TimeElement at={isoTime(lastUsedAt)} />;

export const RemoveKey: FC = () => (
  <form method="post" action="/profile/key/remove#api">
    <button class="danger">{useTexts()("profile.api.delete")}</button>
  </form>
);

/** A new key: shown only in this response. */
export const CreatedKey: FC<{ value: string; address: string }> = ({ value, address }) => {
  const t = useTexts();
  return (
    <>
      <StatusMessage text={t("profile.newKey.once")} />
      <div class="row">
        <label>
          {t("profile.newKey.label")}
          <input class="key" id="new-key" readonly value={value} autocomplete="off" spellcheck={false} />
        </label>
        <button type="button" class="plain" data-copy="new-key" hidden>
          {t("base.copy")}
        </button>
      </div>
      <p class="quiet">{t("profile.newKey.try")}</p>
      <pre translate="no">{`curl -H "Authorization: Bearer ${value}" ${address}/api/orgs`}</pre>
    </>
  );
};

/** Lifetimes of a new key, by the number of days that the form sends. */
export const KEY_LIFETIMES = ["", "7", "30", "90", "365"] as const;

const lifetimeLabel = (t: PageTexts, days: (typeof KEY_LIFETIMES)[number]): string => {
  if (days === "") return t("profile.keys.noExpiry");
  return days === "365" ? t("profile.keys.year") : t("profile.keys.days", { count: Number(days) });
};

interface LabelledKeysProps {
  keys: readonly ListedKey[];
  now: number;
  /** The input, when the form was refused. */
  label: string;
}

/** One key per program, so that each can be revoked separately. */
export const LabelledKeys: FC<LabelledKeysProps> = ({ keys, now, label }) => {
  const t = useTexts();
  return (
    <>
      {keys.length > 0 && (
        <ul class="entries">
          {keys.map((key) => (
            <KeyItem apiKey={key} now={now} />
          ))}
        </ul>
      )}
      <form method="post" action="/profile/keys#keys">
        <div class="row">
          <label>
            {t("profile.keys.label")}
            <input name="label" required maxlength={200} autocomplete="off" value={label} />
          </label>
          <label class="short">
            {t("profile.keys.expiry")}
            <select name="days">
              {KEY_LIFETIMES.map((days) => (
                <option value={days} selected={days === ""}>
                  {lifetimeLabel(t, days)}
                </option>
              ))}
            </select>
          </label>
          <button class="plain">{t("profile.keys.create")}</button>
        </div>
        <LimitFields />
      </form>
    </>
  );
};

/** The texts that describe scopes. */
const SCOPE_TEXTS: Readonly<Record<Scope, LabelKey>> = {
  "documents:read": "profile.keys.scope.documents:read",
  "documents:manage": "profile.keys.scope.documents:manage",
  "documents:download": "profile.keys.scope.documents:download",
  "workspaces:manage": "profile.keys.scope.workspaces:manage",
  "sites:manage": "profile.keys.scope.sites:manage",
  "records:read": "profile.keys.scope.records:read",
  "records:write": "profile.keys.scope.records:write",
  "schema:read": "profile.keys.scope.schema:read",
  "schema:write": "profile.keys.scope.schema:write",
  "history:read": "profile.keys.scope.history:read",
  "history:write": "profile.keys.scope.history:write",
  "webhooks:manage": "profile.keys.scope.webhooks:manage",
  "access:read": "profile.keys.scope.access:read",
  "access:manage": "profile.keys.scope.access:manage",
  "tokens:create": "profile.keys.scope.tokens:create",
  "profile:write": "profile.keys.scope.profile:write",
  scim: "profile.keys.scope.scim",
  admin: "profile.keys.scope.admin",
};

/** Returns the name of the check box of a scope. */
export const scopeField = (scope: Scope): `scope ${Scope}` => `scope ${scope}`;

/** Scopes, documents and networks of a new key, folded: most keys have none. */
const LimitFields: FC = () => {
  const t = useTexts();
  return (
    <details>
      <summary>{t("profile.keys.limits")}</summary>
      <fieldset>
        <legend>{t("profile.keys.scopes")}</legend>
        <p class="quiet">
          {t.rich("profile.keys.scopesAbout", { link: (text) => <a href="/help/api-keys#scopes">{text}</a> })}
        </p>
        <div class="choices">
          {SCOPE_NAMES.map((scope) => (
            <label>
              <input type="checkbox" name={scopeField(scope)} value="1" />
              <code translate="no">{scope}</code>
              <small>{t(SCOPE_TEXTS[scope])}</small>
            </label>
          ))}
        </div>
      </fieldset>
      <div class="row">
        <label>
          {t("profile.keys.documents")}
          <input name="documents" autocomplete="off" spellcheck={false} aria-describedby="key-limits" />
        </label>
        <label>
          {t("profile.keys.networks")}
          <input name="networks" autocomplete="off" spellcheck={false} aria-describedby="key-limits" />
        </label>
      </div>
      <p class="quiet" id="key-limits">
        {t("profile.keys.limitsAbout")}
      </p>
    </details>
  );
};

/** What a key is limited to, in a line each. */
const Limits: FC<{ of: ListedKey }> = ({ of }) => {
  const t = useTexts();
  const { scopes, restrictions, networks } = describeLimits(of);
  const { sites = [], workspaces = [], documents = [], tables = [] } = restrictions ?? {};
  const count = sites.length + workspaces.length + documents.length + tables.flatMap((each) => each.tables).length;
  const listOf = (names: readonly string[]) => <code translate="no">{names.join(", ")}</code>;
  return (
    <>
      {scopes && <small>{t.rich("profile.keys.listedScopes", { scopes: listOf(scopes) })}</small>}
      {restrictions && <small>{t("profile.keys.listedDocuments", { count })}</small>}
      {networks && <small>{t.rich("profile.keys.listedNetworks", { networks: listOf(networks) })}</small>}
      {of.lastUsedAddress && (
        <small>{t.rich("profile.keys.lastAddress", { address: listOf([of.lastUsedAddress]) })}</small>
      )}
    </>
  );
};

const KeyItem: FC<{ apiKey: ListedKey; now: number }> = ({ apiKey, now }) => {
  const t = useTexts();
  const { id, label, expiresAt } = apiKey;
  const isExpired = expiresAt !== null && expiresAt <= now;
  return (
    <li>
      <div class="what">
        <span class="name" translate="no">
          {label}
        </span>
        {isExpired && <Badge text={t("profile.keys.expired")} kind="danger" />}
        <small>{describeUse(t, apiKey, isExpired)}</small>
        <Limits of={apiKey} />
      </div>
      <form method="post" action="/profile/keys/revoke#keys">
        <input type="hidden" name="id" value={String(id)} />
        <button class="danger small" aria-label={t("profile.keys.revokeNamed", { label: label ?? "" })}>
          {t("profile.keys.revoke")}
        </button>
      </form>
    </li>
  );
};

function describeUse(t: PageTexts, apiKey: ListedKey, isExpired: boolean) {
  const { prefix, createdAt, lastUsedAt, expiresAt } = apiKey;
  const parts = {
    key: <code translate="no">{prefix}…</code>,
    created: <TimeElement at={isoTime(createdAt)} as="day" />,
    used: <LastUsed of={apiKey} />,
  };
  if (expiresAt === null || isExpired) {
    return lastUsedAt === null ? t.rich("profile.keys.neverUsed", parts) : t.rich("profile.keys.used", parts);
  }
  const all = { ...parts, expires: <TimeElement at={isoTime(expiresAt)} as="day" /> };
  return lastUsedAt === null ? t.rich("profile.keys.neverUsedExpires", all) : t.rich("profile.keys.usedExpires", all);
}
