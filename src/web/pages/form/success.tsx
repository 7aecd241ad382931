/** The page after an answer. */
import type { FC } from "hono/jsx";
import { markdownTokens } from "../../../lib/markdown/markdown-tokens.ts";
import { MARKDOWN_TAGS } from "../../../wire/documents/markdown.ts";
import { Name } from "../../base/components.tsx";
import { useTexts } from "../../base/page-texts.tsx";
import { findHeadings } from "./headings.ts";
import type { FormLayout } from "./layout.ts";
import { Markdown } from "./markdown.tsx";

/** Returns the address to go to after an answer; null without one, and for addresses that are none of web pages. */
export function nextAddress({ successUrl }: FormLayout, rowId: number): URL | null {
  const url = URL.parse(successUrl.replaceAll("{{ID}}", String(rowId)));
  return url?.protocol === "https:" || url?.protocol === "http:" ? url : null;
}

interface SuccessProps {
  readonly layout: FormLayout;
  readonly next: URL | null;
  /** The address of the form, for another answer. */
  readonly formPath: string;
}

export const Success: FC<SuccessProps> = ({ layout, next, formPath }) => {
  const t = useTexts();
  const tokens = markdownTokens(layout.successText, MARKDOWN_TAGS);
  const nodes = [{ kind: "text", tokens, alignment: "left" }] as const;
  const headings = findHeadings(nodes);
  return (
    <div class="card">
      {headings.title === null && <h1>{t("form.thanks.title")}</h1>}
      {tokens.length > 0 ? (
        <div class="prose" translate="no">
          <Markdown tokens={tokens} headings={headings.tags} />
        </div>
      ) : (
        <p>{t("form.thanks.text")}</p>
      )}
      {next && (
        <p>
          <a href={next.href} rel="noreferrer">
            {t.rich("form.continue", { site: <Name text={next.host} /> })}
          </a>
        </p>
      )}
      {layout.offersAnother && (
        <p>
          <a href={formPath}>{t("form.another")}</a>
        </p>
      )}
    </div>
  );
};
