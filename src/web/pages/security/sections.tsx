/** Parts of the page of second factors. */
import type { Child, FC } from "hono/jsx";
import { PASSWORD_MAX_LENGTH } from "../../../services/accounts/passwords.ts";
import type { PasskeyObstacle } from "../../../services/passkeys/relying-party.ts";
import type { ListedPasskey } from "../../../wire/accounts/passkeys.ts";
import type { SecondFactorState } from "../../../wire/accounts/second-factor.ts";
import { Badge, Name, TimeElement } from "../../base/components.tsx";
import { useTexts } from "../../base/page-texts.tsx";

const Section: FC<{ id: string; title: string; children?: Child }> = ({ id, title, children }) => (
  <section class="card" id={id} aria-labelledby={`${id}-title`}>
    <h2 id={`${id}-title`}>{title}</h2>
    {children}
  </section>
);

/** Asks for the password or a code before anything can be changed. */
export const ConfirmForm: FC<{ email: string; hasPassword: boolean; hasCodes: boolean }> = (props) => {
  const t = useTexts();
  if (!props.hasPassword && !props.hasCodes) {
    return (
      <Section id="confirm" title={t("security.confirm.title")}>
        <p>{t("security.confirm.signIn")}</p>
      </Section>
    );
  }
  return (
    <Section id="confirm" title={t("security.confirm.title")}>
      <p class="quiet">{t("security.confirm.about")}</p>
      <form method="post" action="/profile/security/confirm" class="row">
        <input type="text" name="email" autocomplete="username" value={props.email} readonly hidden />
        {props.hasPassword && (
          <label>
            {t("signIn.password")}
            <input name="password" type="password" autocomplete="current-password" maxlength={PASSWORD_MAX_LENGTH} />
          </label>
        )}
        {props.hasCodes && (
          <label>
            {t(props.hasPassword ? "security.confirm.orCode" : "secondFactor.code")}
            <input name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck={false} maxlength={100} />
          </label>
        )}
        <button>{t("security.confirm.submit")}</button>
      </form>
    </Section>
  );
};

export const TwoStepSection: FC<{ state: SecondFactorState }> = ({ state }) => {
  const t = useTexts();
  const { authenticator, recoveryCodesLeft, isOn, isRequired } = state;
  const canChange = state.confirmedUntil !== null;
  return (
    <Section id="two-step" title={t("security.twoStep")}>
      <p>
        <Badge text={t(isOn ? "security.twoStep.on" : "security.twoStep.off")} kind={isOn ? "good" : "quiet"} />{" "}
        {isRequired && <Badge text={t("security.twoStep.required")} />}
      </p>
      <p class="quiet">{t("security.twoStep.about")}</p>
      <ul class="entries">
        <li>
          <div class="what">
            <span class="name">{t("security.authenticator")}</span>
            <small>
              {authenticator
                ? t.rich("security.added", { time: <TimeElement at={authenticator.addedAt} as="day" /> })
                : t("security.authenticator.none")}
            </small>
          </div>
          {canChange && <AuthenticatorButton isAdded={authenticator !== null} />}
        </li>
        {isOn && (
          <li>
            <div class="what">
              <span class="name">{t("security.codes")}</span>
              <small>{t("security.codes.left", { count: recoveryCodesLeft })}</small>
            </div>
            {canChange && (
              <form method="post" action="/profile/security/recovery-codes">
                <button class="plain small">{t("security.codes.replace")}</button>
              </form>
            )}
          </li>
        )}
      </ul>
    </Section>
  );
};

const AuthenticatorButton: FC<{ isAdded: boolean }> = ({ isAdded }) => {
  const t = useTexts();
  return isAdded ? (
    <form method="post" action="/profile/security/authenticator/remove">
      <button class="danger small">{t("security.authenticator.remove")}</button>
    </form>
  ) : (
    <form method="post" action="/profile/security/authenticator">
      <button class="small">{t("security.authenticator.add")}</button>
    </form>
  );
};

interface PasskeySectionProps {
  passkeys: readonly ListedPasskey[];
  /** Why passkeys cannot be used at the address of the page; null if they can. */
  obstacle: PasskeyObstacle | null;
  publicUrl: string | null;
  canChange: boolean;
}

export const PasskeySection: FC<PasskeySectionProps> = ({ passkeys, obstacle, publicUrl, canChange }) => {
  const t = useTexts();
  return (
    <Section id="passkeys" title={t("security.passkeys")}>
      <p class="quiet">{t("security.passkeys.about")}</p>
      {passkeys.length > 0 && (
        <ul class="entries">
          {passkeys.map((passkey) => (
            <PasskeyItem passkey={passkey} canChange={canChange} />
          ))}
        </ul>
      )}
      {obstacle !== null && <Obstacle obstacle={obstacle} publicUrl={publicUrl} />}
      {obstacle === null && canChange && (
        <>
          <form id="add-passkey" class="row" hidden>
            <label>
              {t("security.passkeys.name")}
              <input name="name" required maxlength={100} autocomplete="off" />
            </label>
            <button>{t("security.passkeys.add")}</button>
          </form>
          <div id="passkey-problem"></div>
          <p id="passkeys-unsupported" class="quiet">
            {t("security.passkeys.unsupported")}
          </p>
        </>
      )}
    </Section>
  );
};

const PasskeyItem: FC<{ passkey: ListedPasskey; canChange: boolean }> = ({ passkey, canChange }) => {
  const t = useTexts();
  const { id, name, createdAt, lastUsedAt } = passkey;
  const added = <TimeElement at={createdAt} as="day" />;
  return (
    <li>
      <div class="what">
        <span class="name" translate="no">
          {name}
        </span>
        <small>
          {lastUsedAt === null
            ? t.rich("security.passkeys.neverUsed", { time: added })
            : t.rich("security.passkeys.used", { time: added, used: <TimeElement at={lastUsedAt} /> })}
        </small>
      </div>
      {canChange && (
        <>
          <form method="post" action="/profile/security/passkeys/rename" class="bar">
            <input type="hidden" name="id" value={id} />
            <input
              name="name"
              value={name}
              required
              maxlength={100}
              aria-label={t("security.passkeys.newName", { name })}
            />
            <button class="plain small">{t("security.passkeys.rename")}</button>
          </form>
          <form method="post" action="/profile/security/passkeys/remove">
            <input type="hidden" name="id" value={id} />
            <button class="danger small" aria-label={t("security.passkeys.removeNamed", { name })}>
              {t("security.passkeys.remove")}
            </button>
          </form>
        </>
      )}
    </li>
  );
};

const Obstacle: FC<{ obstacle: PasskeyObstacle; publicUrl: string | null }> = ({ obstacle, publicUrl }) => {
  const t = useTexts();
  return (
    <p class="note">
      {t(OBSTACLE_TEXTS[obstacle])}{" "}
      {publicUrl !== null && t.rich("security.passkeys.openAt", { address: <Name text={publicUrl} /> })}
    </p>
  );
};

const OBSTACLE_TEXTS = {
  address: "security.passkeys.atAddress",
  insecure: "security.passkeys.insecure",
  host: "security.passkeys.otherHost",
} as const;
