import type { FC } from "hono/jsx";
import { useTexts } from "../../base/page-texts.tsx";
import { findLanguage } from "../../texts/languages.ts";

interface LanguageProps {
  /** The available languages. */
  languages: readonly string[];
  /** The language tag in the profile; null for the language of the browser. */
  chosen: string | null;
}

/** Chooses the language of pages; absent while there is no choice. */
export const LanguageForm: FC<LanguageProps> = ({ languages, chosen }) => {
  const t = useTexts();
  if (languages.length < 2) return <></>;
  const current = chosen === null ? undefined : findLanguage(chosen);
  return (
    <form method="post" action="/profile/language#you" class="row">
      <label>
        {t("profile.language")}
        <select name="language">
          <option value="" selected={current === undefined}>
            {t("profile.language.browser")}
          </option>
          {languages.map((language) => (
            // In the language itself, so that people find their own.
            <option value={language} lang={language} translate="no" selected={language === current}>
              {new Intl.DisplayNames([language], { type: "language" }).of(language) ?? language}
            </option>
          ))}
        </select>
      </label>
      <button class="plain">{t("profile.save")}</button>
    </form>
  );
};
