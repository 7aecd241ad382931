/** How users sign in: passwords and second factors, and single sign-on providers with a test of each. */
import type { FC } from "hono/jsx";
import { AppError } from "../../../errors.ts";
import { isoTime } from "../../../lib/time/clock.ts";
import {
  describeSignIn,
  isFailing,
  type ProviderDescription,
  type SignInMethods,
  testProvider,
} from "../../../services/administration/sign-in-methods.ts";
import { Badge, EmptyState, Name, Note, StatusMessage, TimeElement } from "../../base/components.tsx";
import { errorPageStatus, errorPageText } from "../../base/error-page.tsx";
import { publicUrl, type PageContext } from "../../base/page-context.ts";
import { HELP_LINKS } from "../../base/help/help-links.ts";
import { pageTexts, renderPage, useTexts } from "../../base/page-texts.tsx";
import { AdminPage, Section, withAdmin, type AdminPageContext, type FormOutcome } from "./layout.tsx";

const PATH = "/admin/providers";

export const showSignIn = (visit: AdminPageContext): Response | Promise<Response> =>
  renderPage(visit.c, <SignInPage visit={visit} />);

/** Tests a provider, and shows how it answered. */
export const testSignIn = (c: PageContext) =>
  withAdmin(c, async (visit) => {
    const name = c.req.param("provider") ?? "";
    try {
      const status = await testProvider(c.env.call.ctx, visit.grant, name);
      return await renderPage(c, <SignInPage visit={visit} tested={{ name, isOk: !isFailing(status) }} />);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const page = <SignInPage visit={visit} problem={errorPageText(pageTexts(c), error)} />;
      return renderPage(c, page, errorPageStatus(c, error));
    }
  });

interface SignInState extends FormOutcome {
  readonly tested?: { readonly name: string; readonly isOk: boolean };
}

const SignInPage: FC<SignInState & { visit: AdminPageContext }> = ({ visit, tested, ...outcome }) => {
  const t = useTexts();
  const { c, grant } = visit;
  const methods = describeSignIn(c.env.call.ctx, grant);
  const label = methods.providers.find(({ name }) => name === tested?.name)?.label ?? "";
  const provider = <Name text={label} />;
  return (
    <AdminPage visit={visit} tab="admin.tab.signIn" {...outcome}>
      {tested && (
        <StatusMessage
          text={<>{t.rich(tested.isOk ? "admin.signIn.testOk" : "admin.signIn.testFailed", { provider })}</>}
          problem={!tested.isOk}
        />
      )}
      <Factors methods={methods} />
      <Section id="providers" title={t("admin.signIn.providers")}>
        {methods.providers.length === 0 ? (
          <EmptyState title={t("admin.signIn.none")} icon="key-round">
            <p>
              {t.rich("admin.signIn.noneText", {
                issuer: <code translate="no">QUERN_OIDC_NAME_ISSUER</code>,
                client: <code translate="no">QUERN_OIDC_NAME_CLIENT_ID</code>,
                link: (content) => <a href={HELP_LINKS.singleSignOn}>{content}</a>,
              })}
            </p>
          </EmptyState>
        ) : (
          methods.providers.map((each) => <Provider provider={each} address={publicUrl(c)} />)
        )}
      </Section>
    </AdminPage>
  );
};

const REQUIREMENTS = {
  off: "admin.signIn.required.off",
  admins: "admin.signIn.required.admins",
  on: "admin.signIn.required.on",
} as const;

const Factors: FC<{ methods: SignInMethods }> = ({ methods }) => {
  const t = useTexts();
  const { acceptsPasswords, requiredSecondFactor, people, withoutSecondFactor } = methods;
  return (
    <Section id="factors" title={t("admin.signIn.factors")}>
      <dl>
        <dt>{t("admin.signIn.passwords")}</dt>
        <dd>{t(acceptsPasswords ? "admin.signIn.on" : "admin.signIn.off")}</dd>
        <dt>{t("admin.signIn.required")}</dt>
        <dd>{t(REQUIREMENTS[requiredSecondFactor])}</dd>
        <dt>{t("admin.signIn.with")}</dt>
        <dd>{t("admin.signIn.withCount", { count: people - withoutSecondFactor, total: people })}</dd>
        <dt>{t("admin.signIn.without")}</dt>
        <dd>
          {withoutSecondFactor === 0 ? (
            t("admin.signIn.nobody")
          ) : (
            <a href="/admin/users?show=withoutSecondFactor">
              {t("admin.signIn.people", { count: withoutSecondFactor })}
            </a>
          )}
        </dd>
      </dl>
      <p class="hint">
        {t.rich("admin.signIn.setting", {
          factor: <code translate="no">QUERN_REQUIRE_SECOND_FACTOR</code>,
          passwords: <code translate="no">QUERN_PASSWORDS</code>,
        })}
      </p>
    </Section>
  );
};

const Provider: FC<{ provider: ProviderDescription; address: string }> = ({ provider, address }) => {
  const t = useTexts();
  const { name, label, issuer, clientId, hasSecret, allowedDomains, groupsClaim, lastSuccessAt, lastFailure } =
    provider;
  const failing = isFailing(provider);
  const variable = (suffix: string) => <code translate="no">{`QUERN_OIDC_${variableName(name)}_${suffix}`}</code>;
  return (
    <section class="provider" aria-labelledby={`provider-${name}`}>
      <h3 id={`provider-${name}`}>
        <Name text={label} />{" "}
        <Badge
          text={t(
            failing
              ? "admin.signIn.failing"
              : lastSuccessAt === null
                ? "admin.signIn.unused"
                : "admin.signIn.reachable",
          )}
          kind={failing ? "danger" : lastSuccessAt === null ? "quiet" : "good"}
        />
      </h3>
      {failing && lastFailure && (
        <Note text={<>{t.rich("admin.signIn.failure", { error: <Name text={lastFailure.error} /> })}</>} problem />
      )}
      <dl>
        <dt>{variable("ISSUER")}</dt>
        <dd>
          <Name text={issuer} />
        </dd>
        <dt>{variable("CLIENT_ID")}</dt>
        <dd>
          <Name text={clientId} />
        </dd>
        <dt>{variable("CLIENT_SECRET")}</dt>
        <dd>{t(hasSecret ? "admin.settings.secret" : "admin.signIn.notSet")}</dd>
        <dt>{variable("ALLOWED_DOMAINS")}</dt>
        <dd>{allowedDomains.length === 0 ? t("admin.signIn.notSet") : <Name text={allowedDomains.join(", ")} />}</dd>
        <dt>{variable("GROUPS_CLAIM")}</dt>
        <dd>{groupsClaim === null ? t("admin.signIn.notSet") : <Name text={groupsClaim} />}</dd>
        <dt>{t("admin.signIn.callback")}</dt>
        <dd>
          <Name text={address + callbackPath(name)} />
        </dd>
        <dt>{t("admin.signIn.lastSuccess")}</dt>
        <dd>
          {lastSuccessAt === null ? (
            t("admin.signIn.sinceStart")
          ) : (
            <TimeElement at={isoTime(lastSuccessAt)} as="time" />
          )}
        </dd>
        <dt>{t("admin.signIn.lastFailure")}</dt>
        <dd>
          {lastFailure === null ? t("admin.signIn.sinceStart") : <TimeElement at={isoTime(lastFailure.at)} as="time" />}
        </dd>
      </dl>
      <form method="post" action={`${PATH}/${name}/${TEST}`}>
        <button class="plain" aria-label={t("admin.signIn.testFor", { provider: label })}>
          {t("admin.signIn.test")}
        </button>
      </form>
    </section>
  );
};

const callbackPath = (name: string): string => `/sign-in/oidc/${name}/callback`;

/** The last part of the address of the form. */
const TEST = "test";

/** `my-idp` is `MY_IDP` in the names of its settings. */
const variableName = (name: string): string => name.toUpperCase().replaceAll("-", "_");
