import type { Page } from "playwright-core";
import type { Sample } from "../../../scripts/screenshots/sample.ts";
import { chooseLanguage, textsOf } from "../../../src/web/texts/languages.ts";
import { PSEUDO_LANGUAGE } from "../../../src/web/texts/pseudo.ts";
import { dialog } from "../controls.ts";

/** The texts of the pages under test: `t("home.newSite")` is the name of the button. */
export const t = textsOf<never>(chooseLanguage(null, PSEUDO_LANGUAGE));

export interface PseudoSample extends Sample {
  /** UUID of a document with a table `Kinds`, which has a column of each type. */
  readonly kindsId: string;
}

/** A state of a page. */
export interface PseudoScene {
  /** The page and its state: `home: new document`. */
  readonly name: string;
  readonly path: (sample: PseudoSample) => string;
  /** Visited without signing in. */
  readonly isPublic?: boolean;
  /** Visited by a new user, who has no role on the documents of the sample. */
  readonly isNewcomer?: boolean;
  /**
   * Opens a dialog, menu, panel or toast, and waits for it.
   * @param check checks a state on the way; the last one is checked afterwards
   */
  readonly open?: (page: Page, sample: PseudoSample, check: () => Promise<void>) => Promise<unknown>;
}

/** Answers requests that change something, and match, with an error of the API. */
export const refuse = (page: Page, url: string, { status = 400, code = "request.invalid", error = "not so" } = {}) =>
  page.route(url, (route) =>
    route.request().method() === "GET"
      ? route.continue()
      : route.fulfill({ status, json: { error, details: { code } } }),
  );

export const waitForDialog = (page: Page): Promise<void> => dialog(page).first().waitFor();
export const waitForToast = (page: Page): Promise<void> => page.locator(".toast").first().waitFor();
