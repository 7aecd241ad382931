/** Walks at random through the pages as a person does, and checks the page after each action. */
import type { Page } from "playwright-core";
import { Random } from "../../helpers/random.ts";
import { changeAsColleague } from "./colleague.ts";
import { isStillThere, type PageState, readState } from "./page-state.ts";
import type { WalkSample } from "./sample.ts";
import type { WalkWindow } from "./walk-window.ts";

const SIZES = [
  { width: 390, height: 844 },
  { width: 820, height: 1180 },
  { width: 1440, height: 900 },
  // 200 % zoom of a desktop.
  { width: 720, height: 450 },
] as const;

const KEYS = [
  "ArrowDown",
  "ArrowUp",
  "ArrowLeft",
  "ArrowRight",
  "Tab",
  "Shift+Tab",
  "Enter",
  "Escape",
  "F2",
  "F6",
  "Shift+F6",
  "Delete",
  "Home",
  "End",
  "PageDown",
  "Control+Home",
  "Control+End",
  "Shift+ArrowDown",
  "Shift+ArrowRight",
  "Shift+Enter",
  "Control+Enter",
  "Control+z",
  "Control+y",
  "Control+c",
  "Control+v",
  "Control+b",
  "Shift+F10",
  // Commands of rows, columns and cells.
  "Control+a",
  "Control+d",
  "Control+r",
  "Control+;",
  "Control+Delete",
  "Control+Shift+Enter",
  "Shift+Space",
  "Control+Space",
  "Alt+Shift+ArrowUp",
  "Alt+Shift+ArrowDown",
  "Alt+Shift+ArrowLeft",
  "Alt+Shift+ArrowRight",
] as const;

/** What is typed: numbers, dates, wrong values, markup. */
const TEXTS = ["7", "12.5", "2026-03-14", "soon", "Shipped", "<b>bold</b>", "ä€𝒜", "=1+1", "select 1"] as const;

/** Access rules may hide the details of a failed formula: its cell explains it without them. */
const EXPECTED = /^403 GET .*\/formula-errors$/;

/** How long a message, or the focus after a change, may take on a loaded machine. */
const PATIENCE_MS = 10_000;

/** A kind of action, and how often it is chosen. */
const WEIGHTS = {
  click: 40,
  "right click": 2,
  "click on nothing": 2,
  "double click": 3,
  command: 12,
  key: 26,
  type: 8,
  resize: 3,
  back: 3,
  forward: 2,
  open: 4,
  scroll: 3,
  colleague: 6,
} as const;
type Kind = keyof typeof WEIGHTS;
const KINDS = Object.entries(WEIGHTS).flatMap(([kind, weight]) => Array<Kind>(weight).fill(kind as Kind));

/** Addresses that the walk starts from; others are reached by links. */
function addresses({ docId, workspaceId, isAdmin }: WalkSample): string[] {
  const document = ["", "/tables/Orders", "/tables/Orders", "/tables/Customers", "/tables/Empty", "/history", "/sql"];
  const tools = ["/webhooks", "/code", "/sharing", "/settings"];
  const admin = ["", "/users", "/documents", "/audit", "/errors", "/backups", "/settings", "/email"];
  const sorted = `/docs/${docId}/tables/Orders?sort=-Total&filter=${encodeURIComponent('{"Paid":[true]}')}`;
  return [
    ...[...document, ...document, ...tools].map((path) => `/docs/${docId}${path}`),
    sorted,
    "/",
    "/?q=orders",
    "/trash",
    "/profile",
    "/profile/security",
    "/help",
    "/help/formulas",
    "/reference",
    "/reference/records",
    "/nothing",
    `/workspaces/${workspaceId}`,
    `/workspaces/${workspaceId}/sharing`,
    ...(isAdmin ? admin.map((path) => `/admin${path}`) : []),
  ];
}

interface Action {
  readonly kind: Kind;
  /** What was done, for the report. */
  readonly text: string;
  /** Whether the focus has to be on an element afterwards. */
  readonly keepsFocus: boolean;
}

export interface WalkOptions {
  readonly sample: WalkSample;
  readonly window: WalkWindow;
  readonly seed: number;
  readonly steps: number;
}

/** Returns the problems found, each with the actions that led to it. */
export async function walk({ sample, window, seed, steps }: WalkOptions): Promise<string[]> {
  const walker = new Walker(sample, window, seed);
  for (let step = 1; step <= steps; step++) await walker.step();
  return walker.found;
}

/** The actions shown with a problem. */
const SHOWN_ACTIONS = 12;

class Walker {
  readonly found: string[] = [];
  readonly #sample: WalkSample;
  readonly #window: WalkWindow;
  readonly #random: Random;
  readonly #addresses: readonly string[];
  readonly #trail: string[] = [];
  #state: PageState | null = null;

  constructor(sample: WalkSample, window: WalkWindow, seed: number) {
    this.#sample = sample;
    this.#window = window;
    this.#random = new Random(seed);
    this.#addresses = addresses(sample);
  }

  get #page(): Page {
    return this.#window.page;
  }

  async step(): Promise<void> {
    const before = this.#state;
    const from = this.#page.url();
    const action = await this.#act(before);
    this.#trail.push(`${this.#trail.length + 1} ${action.text}`);
    await this.#window.settle();
    const state = await this.#read();
    this.#state = state;
    if (state === null) return;
    const isSamePage = before?.documentId === state.documentId && from === this.#page.url();
    const { problems } = state;
    const isMissed = action.kind.includes("click") && !state.wasPressed;
    if (action.keepsFocus && isSamePage && !isMissed && !(await this.#hasFocus(state))) {
      problems.push(`the focus is on the body; it was on ${before.focus}`);
    }
    problems.push(...(await this.#unexplained(state)), ...this.#window.takeProblems());
    for (const problem of problems) this.#report(problem);
  }

  #report(problem: string): void {
    const { width } = this.#page.viewportSize() ?? { width: 0 };
    const trail = this.#trail.slice(-SHOWN_ACTIONS).join("\n  ");
    this.found.push(`${problem}\n  at ${this.#page.url()}, ${width} px wide, after\n  ${trail}`);
  }

  /** Returns the state of the page; null if it is none of Quern's, such as the empty page before the first. */
  async #read(): Promise<PageState | null> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      await this.#page.waitForLoadState("domcontentloaded");
      if (!this.#page.url().startsWith("http")) return null;
      try {
        return await readState(this.#page);
      } catch (error) {
        // A navigation that an action has begun destroys the page.
        if (performance.now() > until) throw error;
        await this.#window.settle();
      }
    }
  }

  async #hasFocus(state: PageState): Promise<boolean> {
    if (state.focus !== null) return true;
    // An answer may lead to another page.
    const { documentId } = state;
    return (await this.#until((later) => later.focus !== null || later.documentId !== documentId)) !== null;
  }

  /** Waits for a state; null if it does not come. */
  async #until(isReached: (state: PageState) => boolean): Promise<PageState | null> {
    const until = performance.now() + PATIENCE_MS;
    while (performance.now() < until) {
      const state = await this.#read();
      if (state !== null && isReached(state)) return state;
      await Bun.sleep(50);
    }
    return null;
  }

  /** Returns the refused requests that no message on the page explains. */
  async #unexplained(state: PageState): Promise<string[]> {
    const refusals = this.#window.takeRefusals().filter(({ status, route }) => !EXPECTED.test(`${status} ${route}`));
    const texts = refusals.map(({ status, route }) => `${status} ${route}`);
    const failures = texts.filter((text) => text.startsWith("5"));
    // A refused page explains itself.
    if (refusals.every(({ isNavigation }) => isNavigation) || state.messages.length > 0) return failures;
    const later = await this.#until(({ messages }) => messages.length > 0);
    return later === null ? texts.map((text) => `no message explains ${text}`) : failures;
  }

  #act(state: PageState | null): Promise<Action> {
    if (state === null) return this.#open();
    const kind = this.#random.pick(KINDS);
    switch (kind) {
      case "click":
      case "right click":
      case "double click":
        return this.#click(state, kind);
      case "click on nothing":
        return this.#clickAnywhere();
      case "key":
        return this.#key(state);
      case "type":
        return this.#type(state);
      case "command":
        return this.#command(state);
      case "resize":
        return this.#resize();
      case "scroll":
        return this.#scroll();
      case "colleague":
        return this.#colleague(state);
      case "back":
      case "forward":
        return this.#travel(kind);
      case "open":
      default:
        return this.#open();
    }
  }

  async #open(): Promise<Action> {
    const path = this.#random.pick(this.#addresses);
    // Another navigation may have begun, which ours replaces, or the other way round.
    await this.#page.goto(path).catch(() => {});
    return { kind: "open", text: `open ${path}`, keepsFocus: false };
  }

  async #click({ targets }: PageState, kind: "click" | "right click" | "double click"): Promise<Action> {
    const layer = targets.filter(({ group }) => group === "layer");
    const groups = [...new Set(targets.map(({ group }) => group))];
    const group = layer.length > 0 && !this.#random.oneIn(4) ? "layer" : this.#random.pickAny(groups);
    const target = this.#random.pickAny(targets.filter((each) => each.group === group));
    if (!target) return this.#open();
    if (!(await isStillThere(this.#page, target))) return this.#scroll();
    const { x, y, name } = target;
    if (kind === "double click") await this.#page.mouse.dblclick(x, y);
    else await this.#page.mouse.click(x, y, { button: kind === "click" ? "left" : "right" });
    if (target.isField && kind === "click" && this.#random.oneIn(2)) {
      const text = this.#random.pick(TEXTS);
      await this.#page.keyboard.type(text);
      return { kind, text: `click on ${name}, type “${text}”`, keepsFocus: true };
    }
    // The second click of a double click may meet what the first one has opened or closed.
    const keepsFocus = !target.isFragment && (kind !== "double click" || target.group === "cell");
    return { kind, text: `${kind} on ${name}`, keepsFocus };
  }

  /** Chooses from the menu of a column, a table, a row or a cell. */
  async #command(state: PageState): Promise<Action> {
    const kind = "command";
    const menus = state.targets.filter(
      ({ name, group }) => name.startsWith("button “Menu of") || group === "cell" || name.startsWith("rowheader"),
    );
    // Cells are more frequent than menus.
    const buttons = menus.filter(({ name }) => name.startsWith("button"));
    const target = this.#random.pickAny(buttons.length > 0 && !this.#random.oneIn(3) ? buttons : menus);
    if (!target || !(await isStillThere(this.#page, target))) return this.#scroll();
    const isButton = target.name.startsWith("button");
    await this.#page.mouse.click(target.x, target.y, { button: isButton ? "left" : "right" });
    await this.#window.settle();
    const opened = await this.#read();
    const items = (opened?.targets ?? []).filter(({ name }) => name.startsWith("menuitem"));
    const item = this.#random.pickAny(items);
    const opening = `menu of ${target.name}`;
    if (!item || !(await isStillThere(this.#page, item))) return { kind, text: opening, keepsFocus: false };
    await this.#page.mouse.click(item.x, item.y);
    return { kind, text: `${opening}: ${item.name}`, keepsFocus: true };
  }

  async #clickAnywhere(): Promise<Action> {
    const { width, height } = this.#page.viewportSize() ?? SIZES[0];
    const [x, y] = [this.#random.below(width), this.#random.below(height)];
    const isFree = await this.#page
      .evaluate<boolean>(
        `!document.elementFromPoint(${x}, ${y})?.closest("a, button, input, select, textarea, summary, label")`,
      )
      .catch(() => false);
    if (!isFree) return this.#scroll();
    await this.#page.mouse.click(x, y);
    return { kind: "click on nothing", text: `click at ${x}, ${y}`, keepsFocus: false };
  }

  async #key(state: PageState): Promise<Action> {
    const key = this.#random.pick(KEYS);
    if (!state.canPress && /Enter/.test(key)) return this.#scroll();
    await this.#page.keyboard.press(key);
    const isLeaving = key.endsWith("Tab") && state.isAtEdge;
    return { kind: "key", text: key, keepsFocus: state.focus !== null && !isLeaving && !state.isOnFragment };
  }

  async #type(state: PageState): Promise<Action> {
    const text = this.#random.pick(TEXTS);
    if (!state.canPress) return this.#scroll();
    await this.#page.keyboard.type(text);
    return { kind: "type", text: `type “${text}”`, keepsFocus: state.focus !== null };
  }

  async #resize(): Promise<Action> {
    const size = this.#random.pick(SIZES);
    await this.#page.setViewportSize(size);
    return { kind: "resize", text: `resize to ${size.width} × ${size.height}`, keepsFocus: false };
  }

  async #scroll(): Promise<Action> {
    const distance = this.#random.pick([-2000, -300, 300, 2000]);
    const { width, height } = this.#page.viewportSize() ?? SIZES[0];
    await this.#page.mouse.move(width / 2, height / 2);
    await this.#page.mouse.wheel(0, distance);
    return { kind: "scroll", text: `scroll by ${distance}`, keepsFocus: false };
  }

  async #colleague({ focus }: PageState): Promise<Action> {
    const text = await changeAsColleague(this.#sample, this.#random);
    return { kind: "colleague", text: `a colleague ${text}`, keepsFocus: focus !== null };
  }

  async #travel(kind: "back" | "forward"): Promise<Action> {
    const go = kind === "back" ? this.#page.goBack() : this.#page.goForward();
    await go.catch(() => {});
    return { kind, text: kind, keepsFocus: false };
  }
}
