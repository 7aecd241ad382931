/** The page of a large table in a browser: what is measured is what a person waits for, from the input to the painted rows. */
import type { Browser, BrowserContext, Page } from "playwright-core";

/** Longer than any figure takes. */
const TIMEOUT_MS = 60_000;

/** Whether the rows in view are shown; what is not loaded yet has the class `loading`. */
const ROWS_SHOWN = `(() => {
  const { top, bottom } = document.querySelector(".grid")?.getBoundingClientRect() ?? {};
  // The row of the active cell stays in the document where it is not in view.
  const rows = [...document.querySelectorAll(".grid .body [role=row]")].filter((row) => {
    const box = row.getBoundingClientRect();
    return box.bottom > top && box.top < bottom;
  });
  return rows.length > 0 && rows.every((row) => !row.classList.contains("loading"));
})()`;

/** Notes when the first rows are shown, from the start of the navigation. */
const WATCH_FIRST = `{
  const look = () => {
    if (${ROWS_SHOWN}) window.firstRowsMs = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}`;

export class TablePage implements AsyncDisposable {
  readonly page: Page;
  readonly firstRowsMs: number;
  readonly firstKb: number;
  readonly #context: BrowserContext;

  private constructor(page: Page, context: BrowserContext, { ms, kb }: { ms: number; kb: number }) {
    this.page = page;
    this.#context = context;
    this.firstRowsMs = ms;
    this.firstKb = kb;
  }

  /** Opens the page in a new context: nothing is cached. */
  static async open(browser: Browser, address: string): Promise<TablePage> {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send("Network.enable");
    let bytes = 0;
    session.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
    await page.addInitScript(WATCH_FIRST);
    await page.goto(address);
    const ms = await poll<number>(page, "window.firstRowsMs");
    await page.waitForLoadState("load");
    return new TablePage(page, context, { ms, kb: bytes / 1000 });
  }

  /** Scrolls to a share of the table's height; returns the milliseconds until its rows are shown. */
  scrollTo(share: number): Promise<number> {
    return this.#timed(
      `const grid = document.querySelector(".grid"); grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * ${share};`,
      ROWS_SHOWN,
    );
  }

  /** Changes the view, as Back and Forward do; returns the milliseconds until other rows, and their number, are shown. */
  async view(query: string): Promise<number> {
    return this.#timed(
      `const before = document.querySelector("#sheet-count").textContent; ${changeView(query)}`,
      `${ROWS_SHOWN} && document.querySelector("#sheet-count").textContent !== "" &&
        document.querySelector("#sheet-count").textContent !== before`,
    );
  }

  /** Groups the rows; returns the milliseconds until the first groups are shown. */
  group(query: string): Promise<number> {
    return this.#timed(changeView(query), `document.querySelector(".grid .group-count")?.textContent && ${ROWS_SHOWN}`);
  }

  /** Sorts the rows; returns the milliseconds until they are shown in their order. */
  sort(query: string): Promise<number> {
    return this.#timed(
      `const first = () => document.querySelector('.grid .body [aria-rowindex="2"]')?.textContent; const before = first(); ${changeView(query)}`,
      `${ROWS_SHOWN} && first() !== before`,
    );
  }

  /** Adds a total and scrolls; returns the milliseconds until the total is shown, and until the rows are. */
  async total(query: string, share: number): Promise<{ totalMs: number; rowsMs: number }> {
    return this.page.evaluate(`(async () => {
      const shown = { total: () => document.querySelector(".grid .foot .value")?.textContent, rows: () => ${ROWS_SHOWN} };
      const grid = document.querySelector(".grid");
      const start = performance.now();
      ${changeView(query)}
      grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * ${share};
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      let totalMs, rowsMs;
      while (totalMs === undefined || rowsMs === undefined) {
        const now = performance.now() - start;
        if (now > ${TIMEOUT_MS}) break;
        if (totalMs === undefined && shown.total()) totalMs = now;
        if (rowsMs === undefined && shown.rows()) rowsMs = now;
        await new Promise((resolve) => setTimeout(resolve, 4));
      }
      return { totalMs, rowsMs };
    })()`);
  }

  /** The default view, whose rows are shown. */
  async reset(): Promise<void> {
    await this.page.evaluate(changeView(""));
    await this.#timed("", `${ROWS_SHOWN} && document.querySelector(".grid .group-count") === null`);
  }

  /** Runs statements and returns the milliseconds until the condition holds, which is read after each frame. */
  #timed(statements: string, condition: string): Promise<number> {
    return this.page.evaluate(`(async () => {
      const start = performance.now();
      ${statements}
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      while (!(${condition})) {
        if (performance.now() - start > ${TIMEOUT_MS}) throw new Error("not shown in time");
        await new Promise((resolve) => setTimeout(resolve, 4));
      }
      return performance.now() - start;
    })()`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context.close();
  }
}

const changeView = (query: string): string =>
  `history.pushState(null, "", location.pathname + ${JSON.stringify(query)}); dispatchEvent(new PopStateEvent("popstate"));`;

async function poll<T>(page: Page, expression: string): Promise<T> {
  for (;;) {
    const value = await page.evaluate<T | undefined>(expression);
    if (value !== undefined) return value;
  }
}
