/** Parts of pages on which users add a second factor. */
import type { Child, FC } from "hono/jsx";
import type { TotpKey } from "../../../services/second-factor/totp.ts";
import { StatusMessage } from "../../base/components.tsx";
import { useTexts } from "../../base/page-texts.tsx";

interface SetUpProps {
  action: string;
  totp: TotpKey;
  /** The label of the button. */
  submit: string;
  /** Further fields. */
  children?: Child;
}

/** A QR code, the secret, and a form for the first code. */
export const AuthenticatorSetUp: FC<SetUpProps> = ({ action, totp, submit, children }) => {
  const t = useTexts();
  return (
    <form method="post" action={action} class="card">
      {children}
      <p>{t("secondFactor.add.scan")}</p>
      <QrCode text={totp.uri} label={t("secondFactor.add.qrCode")} />
      <div class="row">
        <label>
          {t("secondFactor.add.secret")}
          <input class="key" id="totp-secret" readonly value={totp.secret} autocomplete="off" spellcheck={false} />
        </label>
        <button type="button" class="plain" data-copy="totp-secret" hidden>
          {t("base.copy")}
        </button>
      </div>
      <label>
        {t("secondFactor.add.code")}
        <input name="code" autocomplete="one-time-code" inputmode="numeric" required maxlength={20} autofocus />
      </label>
      <button>{submit}</button>
    </form>
  );
};

/** Drawn with attributes only: the content security policy permits no styles in the page. Black on white in both schemes. */
const QrCode: FC<{ text: string; label: string }> = async ({ text, label }) => {
  const { encode } = await import("uqr");
  const { data, size } = encode(text, { ecc: "M", border: 4 });
  const squares = data.flatMap((line, y) => line.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={squares.join("")} fill="#000" />
    </svg>
  );
};

/** New recovery codes: shown only in this response. */
export const RecoveryCodeList: FC<{ codes: readonly string[] }> = ({ codes }) => {
  const t = useTexts();
  return (
    <section class="card" aria-labelledby="recovery-title">
      <h2 id="recovery-title">{t("secondFactor.codes.heading")}</h2>
      <StatusMessage text={t("secondFactor.codes.once")} />
      <label>
        {t("secondFactor.codes.label")}
        <textarea class="code" id="recovery-codes" readonly rows={codes.length} translate="no" spellcheck={false}>
          {codes.join("\n")}
        </textarea>
      </label>
      <div class="row">
        <button type="button" class="plain" data-copy="recovery-codes" hidden>
          {t("base.copy")}
        </button>
        <button type="button" class="plain" data-save="recovery-codes" data-file="quern-recovery-codes.txt" hidden>
          {t("secondFactor.codes.save")}
        </button>
      </div>
    </section>
  );
};
