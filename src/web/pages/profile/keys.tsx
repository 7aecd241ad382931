/** The API keys of a user on the profile page. */
import type { FC } from "hono/jsx";
import { isoTime } from "../../../lib/time/clock.ts";
import { maskedKey, type ListedKey } from "../../../services/accounts/keys.ts";
import { Badge, StatusMessage, TimeElement } from "../../base/components.tsx";

export const CurrentKey: FC<{ apiKey: ListedKey | undefined }> = ({ apiKey }) => {
  if (!apiKey) {
    return (
      <form method="post" action="/profile/key#api">
        <button>Create</button>
      </form>
    );
  }
  return (
    <>
      <dl>
        <dt>Key</dt>
        <dd>
          <code>{maskedKey(apiKey)}</code>
        </dd>
        <dt>Created</dt>
        <dd>
          <TimeElement at={isoTime(apiKey.createdAt)} as="day" />
        </dd>
        <dt>Last used</dt>
        <dd>
          <LastUsed of={apiKey} />
        </dd>
      </dl>
      <RemoveKey />
    </>
  );
};

const LastUsed: FC<{ of: ListedKey }> = ({ of: { lastUsedAt } }) =>
  lastUsedAt === null ? <>Never</> : <TimeElement at={isoTime(lastUsedAt)} />;

export const RemoveKey: FC = () => (
  <form method="post" action="/profile/key/remove#api">
    <button class="danger">Delete</button>
  </form>
);

/** A new key: shown only in this response. */
export const CreatedKey: FC<{ value: string; address: string }> = ({ value, address }) => (
  <>
    <StatusMessage text="Copy this key now: it cannot be shown again." />
    <div class="row">
      <label>
        Your new API key
        <input class="key" id="new-key" readonly value={value} autocomplete="off" spellcheck={false} />
      </label>
      <button type="button" data-copy="new-key" aria-live="polite" hidden>
        Copy
      </button>
    </div>
    <p class="quiet">Try it on a command line:</p>
    <pre>{`curl -H "Authorization: Bearer ${value}" ${address}/api/orgs`}</pre>
  </>
);

/** Lifetimes of a new key, by the number of days that the form sends. */
export const KEY_LIFETIMES: Readonly<Record<string, string>> = {
  "": "No expiry",
  "7": "7 days",
  "30": "30 days",
  "90": "90 days",
  "365": "A year",
};

interface LabelledKeysProps {
  keys: readonly ListedKey[];
  now: number;
  /** The input, when the form was refused. */
  label: string;
}

/** One key per program, so that each can be revoked separately. */
export const LabelledKeys: FC<LabelledKeysProps> = ({ keys, now, label }) => (
  <>
    {keys.length > 0 && (
      <ul class="entries">
        {keys.map((key) => (
          <KeyItem apiKey={key} now={now} />
        ))}
      </ul>
    )}
    <form method="post" action="/profile/keys#keys" class="row">
      <label>
        Label of the new key
        <input name="label" required maxlength={200} autocomplete="off" value={label} />
      </label>
      <label class="short">
        Expires after
        <select name="days">
          {Object.entries(KEY_LIFETIMES).map(([days, text]) => (
            <option value={days} selected={days === ""}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <button class="plain">Create key</button>
    </form>
  </>
);

const KeyItem: FC<{ apiKey: ListedKey; now: number }> = ({ apiKey, now }) => {
  const { id, label, prefix, createdAt, expiresAt } = apiKey;
  const isExpired = expiresAt !== null && expiresAt <= now;
  return (
    <li>
      <div class="what">
        <span class="name">{label}</span>
        {isExpired && <Badge text="Expired" kind="danger" />}
        <small>
          <code>{prefix}…</code> · created <TimeElement at={isoTime(createdAt)} as="day" /> ·{" "}
          {apiKey.lastUsedAt === null ? (
            "never used"
          ) : (
            <>
              last used <LastUsed of={apiKey} />
            </>
          )}
          {expiresAt !== null && !isExpired && (
            <>
              {" "}
              · expires <TimeElement at={isoTime(expiresAt)} as="day" />
            </>
          )}
        </small>
      </div>
      <form method="post" action="/profile/keys/revoke#keys">
        <input type="hidden" name="id" value={String(id)} />
        <button class="danger small" aria-label={`Revoke ${label}`}>
          Revoke
        </button>
      </form>
    </li>
  );
};
