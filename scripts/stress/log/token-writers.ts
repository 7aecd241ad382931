/** Clients that write rows, documents, shares and attachments with unique tokens, and the check of what is left. */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { Random } from "../random.ts";
import { type Api, RequestRefused } from "../load/api.ts";
import { TokenHistory, type TokenOutcome } from "./token-history.ts";

/** Where tokens are written and read. */
export interface TokenSite {
  readonly key: string;
  /** For reading what is left. */
  readonly api: Api;
  readonly workspace: number;
  /** Documents with a table Items. */
  readonly documents: readonly string[];
  /** Returns the address for the next request: of any node. */
  address(): string;
  /** Folders with files to check, of servers that do not run or are idle. */
  readonly dataFolders: readonly string[];
  /** @throws Error if the document's file is damaged */
  checkFile(path: string): Promise<unknown>;
}

/** The user with whom documents are shared. */
export const FRIEND = "friend@example.com";

export interface TokenWritersOptions {
  readonly site: TokenSite;
  readonly random: Random;
  readonly clients: number;
  /** Sizes of attachments in bytes; none without. */
  readonly attachments: readonly number[];
  /** How long a client waits for an answer. */
  readonly timeoutMs?: number;
  /** Share of writes that change home. */
  readonly homeShare?: number;
  /** Each client waits up to this time after an acknowledged write. */
  readonly maxPauseMs?: number;
}

const HOME_SHARE = 0.01;
const ATTACHMENT_SHARE = 0.004;
/** Acknowledged writes that are read at once, possibly from another node. */
const READ_SHARE = 0.03;
const TIMEOUT_MS = 60_000;
const PAUSE_AFTER_REFUSAL_MS = 20;
const MAX_ROWS = 5;

interface Answer {
  readonly outcome: TokenOutcome;
  readonly text: string;
}

/** Writes concurrently. No request is repeated: each token is sent once. */
export class TokenWriters {
  readonly history = new TokenHistory();
  readonly #options: TokenWritersOptions;
  /** Names of shared documents, and ids of created ones by their name. */
  readonly #created = new Map<string, string>();
  readonly #shared = new Set<string>();
  /** Contents of attachments by token. */
  readonly #digests = new Map<string, string>();
  readonly #verifiedFiles = new Set<string>();
  /** Statuses and errors that no fault explains. */
  readonly problems: string[] = [];
  /** The documents that had not resumed at the end of the last call of `resumed`. */
  waiting: ReadonlySet<string> = new Set();
  #resuming: { readonly since: number; readonly documents: Set<string>; readonly resolve: () => void } | null = null;

  constructor(options: TokenWritersOptions) {
    this.#options = options;
  }

  /** Writes until `isEnded`. */
  async run(isEnded: () => boolean): Promise<void> {
    const client = async () => {
      while (!isEnded()) await this.#step();
    };
    await Promise.all(Array.from({ length: this.#options.clients }, client));
  }

  /**
   * Waits until each document has acknowledged a row that was sent after this call.
   * @returns the duration in milliseconds; null on timeout
   */
  async resumed(timeoutMs: number): Promise<number | null> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const since = performance.now();
    this.#resuming = { since, documents: new Set(this.#options.site.documents), resolve };
    this.waiting = this.#resuming.documents;
    const hasResumed = await Promise.race([promise.then(() => true), Bun.sleep(timeoutMs).then(() => false)]);
    this.#resuming = null;
    return hasResumed ? performance.now() - since : null;
  }

  /** Compares everything with the history. */
  async verify(): Promise<string[]> {
    const { site } = this.#options;
    const found: string[] = [];
    const problems: string[] = [];
    for (const document of site.documents) {
      type Columns = { Token: string[]; File: (["L", number] | null)[] };
      const read = () => site.api.send<Columns>("GET", `/docs/${document}/tables/Items/data`);
      const { Token, File } = await retried(read);
      for (const token of Token) found.push(token);
      problems.push(...(await this.#checkAttachments(document, Token, File)));
    }
    problems.push(...this.history.findContradictions(found, ["row", "file"]));
    problems.push(...(await this.#checkHome()));
    return problems;
  }

  /** Checks the files on the disk; files that have passed before and have not changed are skipped. */
  async checkFiles(): Promise<string[]> {
    const { dataFolders, checkFile } = this.#options.site;
    const problems: string[] = [];
    for (const data of dataFolders) {
      for (const file of new Bun.Glob("docs/*/document.grist").scanSync({ cwd: data, absolute: true })) {
        const digest = Bun.hash(await Bun.file(file).bytes()).toString(36);
        if (this.#verifiedFiles.has(digest)) continue;
        await checkFile(file).catch((error: Error) => problems.push(error.message));
        this.#verifiedFiles.add(digest);
      }
      using home = new Database(join(data, "home.sqlite"), { readonly: true });
      const [answer] = home.query<{ integrity_check: string }, []>("pragma integrity_check").all();
      if (answer?.integrity_check !== "ok") problems.push(`the home database: ${answer?.integrity_check}`);
    }
    return problems;
  }

  async #step(): Promise<void> {
    const { random, attachments, homeShare = HOME_SHARE, maxPauseMs = 0 } = this.#options;
    const kind = random.next();
    let outcome: TokenOutcome;
    if (kind < homeShare) outcome = await this.#changeHome();
    else if (kind < homeShare + ATTACHMENT_SHARE && attachments.length > 0) outcome = await this.#attach();
    else outcome = await this.#addRows();
    if (outcome !== "acknowledged") await Bun.sleep(PAUSE_AFTER_REFUSAL_MS);
    else if (maxPauseMs > 0) await Bun.sleep(random.below(maxPauseMs));
  }

  async #addRows(): Promise<TokenOutcome> {
    const { random, site } = this.#options;
    const tokens = Array.from({ length: random.chance(0.9) ? 1 : MAX_ROWS }, () => this.history.begin("row"));
    const records = tokens.map((Token) => ({ fields: { Token, Note: "a note" } }));
    const document = random.pick(site.documents);
    const sentAt = performance.now();
    const path = `/docs/${document}/tables/Items/records`;
    const { outcome, text } = await this.#send("POST", path, { records });
    for (const token of tokens) this.history.settle(token, outcome);
    const resuming = this.#resuming;
    if (resuming && outcome === "acknowledged" && sentAt > resuming.since) {
      resuming.documents.delete(document);
      if (resuming.documents.size === 0) resuming.resolve();
    }
    if (outcome === "acknowledged" && random.chance(READ_SHARE)) await this.#readBack(path, text, tokens[0]);
    return outcome;
  }

  /** Reads a row after its write was acknowledged: any node that answers has it. */
  async #readBack(path: string, answer: string, token: string | undefined): Promise<void> {
    const [row] = (JSON.parse(answer) as { records: { id: number }[] }).records;
    const filter = encodeURIComponent(JSON.stringify({ id: [row?.id] }));
    const { outcome, text } = await this.#send("GET", `${path}?filter=${filter}`);
    if (outcome !== "acknowledged") return;
    const [found] = (JSON.parse(text) as { records: { fields: { Token: string } }[] }).records;
    if (found?.fields.Token !== token) this.problems.push(`${token}: acknowledged, and not there in the next read`);
  }

  async #changeHome(): Promise<TokenOutcome> {
    const { random, site } = this.#options;
    const unshared = [...this.#created].find(([name]) => !this.#shared.has(name));
    if (unshared && random.chance(0.5)) {
      const [name, id] = unshared;
      this.#shared.add(name);
      const token = this.history.begin(`share:${name.slice(4)}`);
      const body = { delta: { users: { [FRIEND]: "editors" } } };
      const { outcome } = await this.#send("PATCH", `/docs/${id}/access`, body);
      this.history.settle(token, outcome);
      if (outcome !== "acknowledged") this.#created.delete(name);
      return outcome;
    }
    const name = this.history.begin("doc");
    const { outcome, text } = await this.#send("POST", `/workspaces/${site.workspace}/docs`, { name });
    this.history.settle(name, outcome);
    if (outcome === "acknowledged") this.#created.set(name, JSON.parse(text) as string);
    return outcome;
  }

  async #attach(): Promise<TokenOutcome> {
    const { random, site, attachments } = this.#options;
    const document = random.pick(site.documents);
    const token = this.history.begin("file");
    const content = new Uint8Array(random.pick(attachments));
    for (let at = 0; at < content.length; at += 4096) content[at] = random.below(256);
    const form = new FormData();
    form.append("upload", new File([content], `${token.replace("/", "-")}.bin`));
    const upload = await this.#send("POST", `/docs/${document}/attachments`, form);
    if (upload.outcome !== "acknowledged") {
      // Without a row.
      this.history.settle(token, "refused");
      return upload.outcome;
    }
    const [id] = JSON.parse(upload.text) as number[];
    this.#digests.set(token, digest(content));
    const fields = { Token: token, File: ["L", id] };
    const path = `/docs/${document}/tables/Items/records`;
    const { outcome } = await this.#send("POST", path, { records: [{ fields }] });
    this.history.settle(token, outcome);
    return outcome;
  }

  async #checkAttachments(
    document: string,
    tokens: readonly string[],
    files: readonly (readonly ["L", number] | null)[],
  ): Promise<string[]> {
    const problems: string[] = [];
    for (const [row, token] of tokens.entries()) {
      const id = files[row]?.[1];
      if (id === undefined) continue;
      const path = `/docs/${document}/attachments/${id}/download`;
      const read = () => this.#options.site.api.bytes(path);
      const content = await retried(read).catch((error: Error) => error.message);
      if (typeof content === "string") problems.push(`${token}: ${content}`);
      else if (digest(content) !== this.#digests.get(token)) problems.push(`${token}: other content`);
    }
    return problems;
  }

  /** Documents that were created exist, are listed once and can be opened; shares are in effect. */
  async #checkHome(): Promise<string[]> {
    const { api, workspace } = this.#options.site;
    type Listed = { docs: { id: string; name: string }[] };
    const { docs } = await retried(() => api.send<Listed>("GET", `/workspaces/${workspace}`));
    const created = docs.filter(({ name }) => name.startsWith("doc/"));
    const problems = this.history.findContradictions(
      created.map(({ name }) => name),
      ["doc"],
    );
    for (const { id, name } of created) {
      const open = () => api.send("GET", `/docs/${id}/tables`);
      await retried(open).catch((error: Error) => problems.push(`${name}: ${error.message}`));
      if (!this.#shared.has(name) || !this.#created.has(name)) continue;
      type Access = { users: { email: string; access: string | null }[] };
      const { users } = await retried(() => api.send<Access>("GET", `/docs/${id}/access`));
      const access = users.find(({ email }) => email === FRIEND)?.access;
      if (access !== "editors") problems.push(`the share of ${name} is lost: ${access}`);
    }
    return problems;
  }

  async #send(method: string, path: string, body?: unknown): Promise<Answer> {
    const { site, timeoutMs = TIMEOUT_MS } = this.#options;
    const isForm = body instanceof FormData;
    const address = site.address();
    let status: number;
    let text: string;
    try {
      const response = await fetch(`${address}/api${path}`, {
        method,
        headers: { Authorization: `Bearer ${site.key}`, ...(!isForm && { "Content-Type": "application/json" }) },
        ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      status = response.status;
      text = await response.text();
    } catch (error) {
      const isUnsent = error instanceof Error && "code" in error && error.code === "ECONNREFUSED";
      return { outcome: isUnsent ? "refused" : "unknown", text: String(error) };
    }
    if (status === 200) return { outcome: "acknowledged", text };
    if (status !== 503 && status !== 429 && status !== 504) {
      this.problems.push(`${method} ${address}/api${path}: ${status} ${text}`);
    }
    const isUnknown = status >= 500 && (status !== 503 || text.includes('"outcome":"unknown"'));
    return { outcome: isUnknown ? "unknown" : "refused", text };
  }
}

/** A node may still be without a lease after a fault. */
const MAX_RETRY_MS = 30_000;

/** Repeats a read while the server asks for that. */
async function retried<T>(read: () => Promise<T>): Promise<T> {
  const end = performance.now() + MAX_RETRY_MS;
  for (;;) {
    try {
      return await read();
    } catch (error) {
      const isTemporary = error instanceof RequestRefused && error.isBusy && !error.message.includes("log.diverged");
      if (!isTemporary || performance.now() > end) throw error;
      await Bun.sleep(PAUSE_AFTER_REFUSAL_MS);
    }
  }
}

const digest = (bytes: Uint8Array): string => Bun.hash(bytes).toString(36);
