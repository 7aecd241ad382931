import { raw } from "hono/html";
import type { Child, FC } from "hono/jsx";
import type { UserActor } from "../../authorization.ts";
import { assetPath, hasAsset, preloadPaths, textsPath } from "../assets.ts";
import { directionOf } from "../texts/languages.ts";
import { useLanguage, useSidebarState, useTexts } from "./page-texts.tsx";
import { type Crumb, Place } from "./shell/place.tsx";
import { Sidebar } from "./shell/sidebar.tsx";
import { TopBar } from "./shell/top-bar.tsx";

export { StatusMessage } from "./components.tsx";

export interface PageProps {
  title: string;
  /** The signed-in user. */
  user?: UserActor | null;
  /** The path of the current page, for the user menu. */
  here?: string;
  /** For small forms before signing in. */
  narrow?: boolean;
  /** For content that fills the window: tables, editors. */
  wide?: boolean;
  /** For lists of several columns, which need more width than text. */
  broad?: boolean;
  /** Name of the page's own script and styles: `pages/<bundle>/client/<bundle>.ts`, `pages/<bundle>/styles.css`. */
  bundle?: string;
  /** Content of the sidebar; pages without one have the product's name in the top bar. */
  sidebar?: Child;
  /** What the page belongs to, in the top bar. */
  crumbs?: readonly Crumb[];
  /** The name of the page in the top bar of phones; the title unless given. */
  name?: Child;
  /** Replaces `crumbs` and `name`. */
  place?: Child;
  /** Commands for the whole page, in the user's menu on phones. */
  commands?: Child;
  /** Replaces the title; must contain the only `<h1>`. False: the content has it. */
  heading?: Child;
  /** Id of the element that the skip link leads to. */
  skipTo?: string;
  /** More elements of the head. */
  head?: Child;
  /** Attributes of the body, for scripts. */
  data?: Record<`data-${string}`, string>;
  children?: Child;
}

/** The shell of every page: sidebar, top bar and content. */
export const Page: FC<PageProps> = (props) => {
  const {
    title,
    user = null,
    here,
    narrow = false,
    broad,
    wide,
    bundle,
    sidebar,
    crumbs = [],
    name = title,
    commands,
    heading,
    head,
    data,
    children,
  } = props;
  const t = useTexts();
  const { language, locale } = useLanguage();
  const { isClosed } = useSidebarState();
  const script = bundle && hasAsset(`${bundle}.js`) ? `${bundle}.js` : null;
  const hasSidebar = sidebar !== undefined;
  const place = props.place ?? (hasSidebar && <Place crumbs={crumbs} here={name} />);
  return (
    <>
      {/* Without it browsers use quirks mode. */}
      {raw("<!doctype html>")}
      {/* Scripts compare the user's id to detect that the page's session has ended. */}
      <html
        lang={locale}
        dir={directionOf(locale)}
        data-icons={assetPath("icons.svg")}
        {...(user && { "data-user": user.userId })}
        {...(hasSidebar && { "data-sidebar": isClosed ? "closed" : "open" })}
      >
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>{t("base.title", { title })}</title>
          <link rel="icon" type="image/svg+xml" href={assetPath("icon.svg")} />
          <link rel="stylesheet" href={assetPath("base.css")} />
          {bundle && hasAsset(`${bundle}.css`) && <link rel="stylesheet" href={assetPath(`${bundle}.css`)} />}
          {/* Before the scripts that use it: the browser runs modules in this order. */}
          <script type="module" src={textsPath(script, language)}></script>
          <script type="module" src={assetPath("page.js")}></script>
          {script && <script type="module" src={assetPath(script)}></script>}
          {preloadPaths("page.js", ...(script ? [script] : [])).map((address) => (
            <link rel="modulepreload" href={address} />
          ))}
          {head}
        </head>
        <body class={bundle && `on-${bundle}`} {...data}>
          <a class="skip" href={`#${props.skipTo ?? "content"}`}>
            {t("base.skip")}
          </a>
          {hasSidebar && <Sidebar>{sidebar}</Sidebar>}
          <div class="frame">
            <TopBar
              user={user}
              here={here}
              hasSidebar={hasSidebar}
              isNarrow={narrow}
              commands={commands}
              isInDocument={data !== undefined && "data-document" in data}
            >
              {place}
            </TopBar>
            <div class={["page", narrow && "narrow", broad && "broad", wide && "wide"].filter(Boolean).join(" ")}>
              <main id="content" tabindex={-1}>
                {heading ?? <h1 class={hasSidebar ? "in-bar" : undefined}>{title}</h1>}
                {children}
              </main>
            </div>
          </div>
          {/* The only live region of the page. */}
          <p id="live-region" class="unseen" role="status"></p>
          <div id="toasts" role="region" aria-label={t("base.messages")}></div>
        </body>
      </html>
    </>
  );
};
