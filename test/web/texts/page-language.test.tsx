import { describe, expect, test } from "bun:test";
import { Hono } from "hono";
import { createContext, useContext, type Child } from "hono/jsx";
import { CODES, INTERNAL_CODE } from "../../../src/errors/codes.ts";
import { AppError } from "../../../src/errors.ts";
import { errorText, plainErrorText } from "../../../src/web/base/error-text.ts";
import { errorPageText } from "../../../src/web/base/error-page.tsx";
import { Name } from "../../../src/web/base/components.tsx";
import type { PageTexts } from "../../../src/web/base/page-texts.tsx";
import { LanguageForm } from "../../../src/web/pages/profile/language.tsx";
import { chooseLanguage, textsOf } from "../../../src/web/texts/languages.ts";
import { adasApp, ADA, assetIn, Visitor } from "../visitor.ts";
import { HOSTILE } from "../hostile.ts";

const PSEUDO = { "Accept-Language": "en-XA" };
const english: PageTexts = textsOf(chooseLanguage(null, null));
const pseudo: PageTexts = textsOf(chooseLanguage(null, "en-XA"));

/** Returns the HTML of an element, as pages send it. */
async function htmlOf(element: Child): Promise<string> {
  const app = new Hono().get("/", (c) => c.html(<>{element}</>));
  return (await app.request("/")).text();
}

describe("a page", () => {
  test("has the language that the browser asks for, with the region for formats", async () => {
    await using t = await adasApp();
    const inEnglish = await t.ada.get("/trash", { "Accept-Language": "fr, en-GB;q=0.8" });
    expect(inEnglish.html).toContain('<html lang="en-GB" dir="ltr"');
    expect(inEnglish.html).toContain(">Trash</h1>");
    const inPseudo = await t.ada.get("/trash", PSEUDO);
    expect(inPseudo.html).toContain('<html lang="en-XA" dir="ltr"');
    expect(inPseudo.html).toMatch(/>⟦Traash.*⟧<\/h1>/);
    expect(inPseudo.html).toMatch(/<title>⟦⟦Traash[^<]*· Qu[^<]*⟧<\/title>/);
  });

  test("has the language of the user's profile before that of the browser", async () => {
    await using t = await adasApp();
    const user = t.app.ctx.home.users.byEmail(ADA.email);
    const setLocale = (locale: string | null) =>
      t.app.ctx.home.transaction(() => t.app.ctx.home.users.change(user?.id ?? 0, { locale }));
    setLocale("en-AU");
    expect((await t.ada.get("/trash", PSEUDO)).html).toContain('<html lang="en-AU"');
    // Anonymous visitors, and users whose language does not exist, get the browser's.
    expect((await new Visitor(t.app).get("/sign-in", PSEUDO)).html).toContain('<html lang="en-XA"');
    setLocale("tlh");
    expect((await t.ada.get("/trash", PSEUDO)).html).toContain('<html lang="en-XA"');
    setLocale(null);
    expect((await t.ada.get("/trash", PSEUDO)).html).toContain('<html lang="en-XA"');
  });

  test("varies by what its language depends on, so that no cache serves it for another language", async () => {
    await using t = await adasApp();
    for (const path of ["/trash", "/reference", "/nothing", "/docs/unknown"]) {
      const reply = await t.ada.get(path);
      const vary = reply.headers.get("vary")?.split(", ") ?? [];
      expect([path, vary.includes("Accept-Language"), vary.includes("Cookie")]).toEqual([path, true, true]);
    }
  });

  test("has an ETag of its language", async () => {
    await using t = await adasApp();
    const inEnglish = await t.ada.get("/help");
    const etag = inEnglish.headers.get("etag") ?? "";
    expect(etag).toMatch(/^W\/"/);
    expect((await t.ada.get("/help", { "If-None-Match": etag })).status).toBe(304);
    const inPseudo = await t.ada.get("/help", { "If-None-Match": etag, ...PSEUDO });
    expect(inPseudo.status).toBe(200);
    expect(inPseudo.headers.get("etag")).not.toBe(etag);
  });

  test("loads the texts of its scripts in its language, under names that change with their content", async () => {
    await using t = await adasApp();
    const pathIn = async (headers: Record<string, string>) =>
      /"(\/assets\/texts-trash\.[^"]+)"/.exec((await t.ada.get("/trash", headers)).html)?.[1] ?? "";
    const paths = [await pathIn({}), await pathIn(PSEUDO), await pathIn({ "Accept-Language": "en-GB" })];
    expect(paths[0]).toMatch(/^\/assets\/texts-trash\.en\.[0-9a-f]{8}\.js$/);
    expect(paths[1]).toMatch(/^\/assets\/texts-trash\.en-XA\.[0-9a-f]{8}\.js$/);
    expect(paths[2]).toBe(paths[0] ?? "");
    const script = await t.ada.get(paths[1] ?? "");
    expect(script.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(script.headers.get("content-type")).toStartWith("text/javascript");
    expect(script.html).toContain('"trash.restored":"⟦');
  });

  test("loads only the texts that its scripts use, before them", async () => {
    await using t = await adasApp();
    const { html } = await t.ada.get("/trash");
    const texts = await t.ada.get(/"(\/assets\/texts-trash[^"]+)"/.exec(html)?.[1] ?? "");
    const keys = Object.keys(JSON.parse(texts.html.replace("globalThis.quernTexts=", "")) as object);
    expect(keys).toContain("trash.confirm.title");
    expect(keys).toContain("error.document.not_found");
    expect(keys).not.toContain("trash.empty.title");
    expect(keys.filter((key) => !/^(trash|base|goTo|problem|error)\./.test(key))).toEqual([]);
    const order = ["texts-trash", "page.", "trash."].map((name) => html.indexOf(`src="/assets/${name}`));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(assetIn({ html } as never, "trash.js")).toStartWith("/assets/trash.");
  });
});

describe("the language in the profile", () => {
  const render = (languages: readonly string[], chosen: string | null) =>
    htmlOf(<LanguageForm languages={languages} chosen={chosen} />);

  test("is a choice of the browser's language and all others, under their own names", async () => {
    const html = await render(["en", "de"], null);
    expect(html).toContain('<option value="" selected="">');
    expect(html).toContain('<option value="de" lang="de" translate="no">Deutsch</option>');
    expect(await render(["en", "de"], "en-GB")).toContain('<option value="en" lang="en" translate="no" selected="">');
    expect(await render(["en", "de"], "tlh")).toContain('<option value="" selected="">');
  });

  test("is no choice while there is one language, and the pseudo-language is never offered", async () => {
    expect(await render(["en"], null)).toBe("");
    await using t = await adasApp();
    expect((await t.ada.get("/profile", PSEUDO)).html).not.toContain("/profile/language");
  });

  test("is stored by the form, and by the API", async () => {
    await using t = await adasApp();
    const locale = () => t.app.ctx.home.users.byEmail(ADA.email)?.locale;
    const stored = await t.ada.post("/profile/language", { language: "en" });
    expect([stored.status, stored.to, locale()]).toEqual([303, "/profile?done=language", "en"]);
    expect((await t.ada.get("/profile?done=language")).html).toContain("Language changed.");
    for (const language of ["en-XA", "tlh", "__proto__", "toString"]) {
      expect((await t.ada.post("/profile/language", { language })).status).toBe(400);
    }
    expect(locale()).toBe("en");
    expect((await t.ada.post("/profile/language", { language: "" })).status).toBe(303);
    expect(locale()).toBeNull();
  });
});

describe("an error of the API", () => {
  const allCodes = [...Object.values(CODES).flatMap((codes) => Object.keys(codes)), INTERNAL_CODE];

  test.each(allCodes)("has a text: %s", (code) => {
    expect(pseudo.ofFamily("error.*", code)).toMatch(/^⟦.+[.~]⟧$/);
  });

  test("is the API's sentence in English, where that is more precise", () => {
    const error = { code: "request.invalid", sentence: "limit must be a positive integer" };
    expect(plainErrorText(errorText(english, error))).toBe("limit must be a positive integer.");
    expect(plainErrorText(errorText(english, { code: "", sentence: "Odd!" }))).toBe("Odd!");
  });

  test("is the page's text, where that says as much", () => {
    const error = { code: "access.edit_denied", sentence: "No write access" };
    expect(plainErrorText(errorText(english, error))).toBe("You can view this document, but not edit it.");
    expect(errorText(pseudo, error).sentence).toBeNull();
  });

  test("has both in another language, and the sentence marked as English", async () => {
    const error = new AppError("request.invalid", "limit must be <b>positive</b>", { retryAfterS: 61 });
    const html = await htmlOf(<p>{errorPageText(pseudo, error)}</p>);
    expect(html).toMatch(
      /^<p>⟦Thee.*⟧ <bdi lang="en" translate="no">limit must be &lt;b&gt;.*\.<\/bdi> ⟦.*2 .*⟧<\/p>$/,
    );
  });
});

describe("texts with elements", () => {
  test("show hostile names as text", async () => {
    for (const name of HOSTILE) {
      const html = await htmlOf(<p>{english.rich("trash.restored", { name: <Name text={name} /> })}</p>);
      expect(html.match(/<\w+/g)).toEqual(["<p", "<bdi"]);
      const plain = await htmlOf(<p title={english("trash.restored", { name })}></p>);
      expect(plain.match(/<\w+/g)).toEqual(["<p"]);
    }
  });
});

test("contexts of JSX are separate for pages that are rendered at the same time", async () => {
  const Context = createContext("none");
  const Show = async () => {
    await Promise.resolve();
    return <b>{useContext(Context)}</b>;
  };
  const all = ["a", "b"].map((value) =>
    htmlOf(
      <Context.Provider value={value}>
        <Show />
      </Context.Provider>,
    ),
  );
  expect(await Promise.all(all)).toEqual(["<b>a</b>", "<b>b</b>"]);
});
