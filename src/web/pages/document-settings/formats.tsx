import type { FC } from "hono/jsx";
import { useTexts } from "../../base/page-texts.tsx";
import type { DocumentSettings } from "../../base/table-data.ts";
import { type Choice, SelectSetting } from "./fields.tsx";
import { LOCALES } from "./locales.ts";

/** How values of the document are shown and read. */
export const Formats: FC<{ formats: DocumentSettings; canChange: boolean }> = ({ formats, canChange }) => {
  const t = useTexts();
  const { locale, currency = "", timezone } = formats;
  return (
    <section class="card" aria-labelledby="formats">
      <h2 id="formats">{t("docSettings.formats")}</h2>
      <div class="settings-row">
        <SelectSetting
          name="locale"
          label={t("docSettings.locale")}
          value={locale}
          choices={localeChoices(t.locale)}
          canChange={canChange}
        />
        <SelectSetting
          name="currency"
          label={t("docSettings.currency")}
          value={currency}
          choices={[{ value: "", label: t("docSettings.currency.default") }, ...currencyChoices(t.locale)]}
          canChange={canChange}
        />
        <SelectSetting
          name="timezone"
          label={t("docSettings.timezone")}
          value={timezone}
          choices={zoneChoices()}
          canChange={canChange}
        />
      </div>
      <p class="quiet">
        {t("docSettings.sample")}{" "}
        <span id="sample" translate="no" data-locale={locale} data-currency={currency} data-timezone={timezone} />
      </p>
    </section>
  );
};

const byLabel = (locale: string) => (a: Choice, b: Choice) => a.label.localeCompare(b.label, locale);

function localeChoices(language: string): Choice[] {
  const names = new Intl.DisplayNames(language, { type: "language" });
  return LOCALES.map((value) => ({ value, label: names.of(value) ?? value, isData: true })).toSorted(byLabel(language));
}

function currencyChoices(language: string): Choice[] {
  const names = new Intl.DisplayNames(language, { type: "currency" });
  return Intl.supportedValuesOf("currency").map((value) => ({
    value,
    label: `${value} – ${names.of(value) ?? value}`,
    isData: true,
  }));
}

const zoneChoices = (): Choice[] =>
  [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone")])].map((value) => ({
    value,
    label: value.replaceAll("_", " "),
    isData: true,
  }));
