import type { FC } from "hono/jsx";
import { Page } from "../../base/layout.tsx";
import { Name } from "../../base/components.tsx";
import type { PageContext } from "../../base/page-context.ts";
import { renderPage, useTexts } from "../../base/page-texts.tsx";

/** After signing out here: the session at the provider has not ended, and would sign the next visitor in. */
export async function showSignedOut(c: PageContext): Promise<Response> {
  const { oidc } = c.env.call.ctx;
  const provider = oidc.buttons.find(({ name }) => name === c.req.param("provider"));
  if (!provider) return c.redirect("/sign-in", 303);
  const url = await oidc.provider(provider.name).endSessionUrl();
  return renderPage(c, <SignedOutPage label={provider.label} url={url} />);
}

const SignedOutPage: FC<{ label: string; url: string | null }> = ({ label, url }) => {
  const t = useTexts();
  const provider = <Name text={label} />;
  return (
    <Page title={t("signedOut.title")} narrow>
      <p>{t.rich("signedOut.text", { provider })}</p>
      <div class="stack">
        {url !== null && (
          <a class="button" href={url} rel="noreferrer">
            <span>{t.rich("signedOut.provider", { provider })}</span>
          </a>
        )}
        <a class="button plain" href="/sign-in">
          {t("signedOut.again")}
        </a>
      </div>
    </Page>
  );
};
