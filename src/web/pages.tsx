/** The pages for people, as a table of contents. */
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { csrf } from "hono/csrf";
import { secureHeaders } from "hono/secure-headers";
import { AppError } from "../errors.ts";
import { serveAsset } from "./assets.ts";
import type { Env, PageCall } from "./env.ts";
import { Note, Page } from "./layout.tsx";
import { firstRun, showFirstRun } from "./pages/first-run.tsx";
import { createKeyHere, removeKeyHere, rename, setPassword, showProfile } from "./pages/profile.tsx";
import { showReference } from "./pages/reference.tsx";
import { showSignIn, signInHere, signOutHere } from "./pages/sign-in.tsx";

const FORM_LIMIT = 64 * 1024;

/** Answers what is not API; null where there is no such page and the client is no browser. */
export function createPages(): (call: PageCall) => Promise<Response | null> {
  const app = new Hono<Env>({ getPath: (_, options) => pathOf(options) });
  app.use(
    secureHeaders({
      contentSecurityPolicy: {
        defaultSrc: ["'none'"],
        styleSrc: ["'self'"],
        scriptSrc: ["'self'"],
        imgSrc: ["'self'", "data:"],
        connectSrc: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
      },
      referrerPolicy: "same-origin",
      crossOriginOpenerPolicy: "same-origin",
      // Whether the site is reached by https is the reverse proxy's knowledge, and so is this header.
      strictTransportSecurity: false,
    }),
  );
  app.use(csrf({ origin: (origin, c) => origin === c.env.call.origin }), bodyLimit({ maxSize: FORM_LIMIT }));
  app.use("/assets/*", (c) => {
    c.env.call.template = "/assets/*";
    return Promise.resolve(serveAsset(c.req.raw, c.env.call.path) ?? c.notFound());
  });
  app.get("/", (c) => c.redirect("/profile"));
  app.get("/sign-in", showSignIn).post(signInHere);
  app.post("/sign-out", signOutHere);
  app.get("/first-run", showFirstRun).post(firstRun);
  app.get("/profile", showProfile);
  app.post("/profile/name", rename);
  app.post("/profile/password", setPassword);
  app.post("/profile/key", createKeyHere);
  app.post("/profile/key/remove", removeKeyHere);
  app.get("/reference", showReference);
  app.notFound((c) => c.html(<Problem title="Nothing here" text="There is no page at this address." />, 404));
  app.onError((error, c) => {
    if ("getResponse" in error) return c.html(<Problem title="Not accepted" text="The form was not accepted." />, 403);
    if (!(error instanceof AppError)) {
      c.env.call.ctx.log.error("failed", { path: c.env.call.path, error: error.stack ?? error.message });
      return c.html(
        <Problem title="Something went wrong" text="The server could not do this. It is in its log." />,
        500,
      );
    }
    return c.html(<Problem title="Not possible" text={error.message} />, 400);
  });
  return async (call) => {
    const response = await app.fetch(call.request, { call });
    const wantsPage = (call.request.headers.get("accept") ?? "").includes("text/html");
    if (response.status === 404 && !wantsPage) return null;
    call.template ??= response.status === 404 ? "unknown" : call.path;
    return response;
  };
}

const pathOf = (options: { env?: unknown } | undefined): string =>
  (options?.env as Env["Bindings"] | undefined)?.call.path ?? "/";

const Problem = ({ title, text }: { title: string; text: string }) => (
  <Page title={title} narrow>
    <Note text={text} problem />
    <p>
      <a href="/">Back to the start</a>
    </p>
  </Page>
);
