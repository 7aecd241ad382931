import { TrieRouter } from "hono/router/trie-router";
import type { RequestClass } from "../../services/cluster.ts";
import { parseJobId } from "../../services/jobs/job-ids.ts";
import { CachedRouter } from "../cached-router.ts";
import type { Call } from "../call.ts";
import { classOf, type Route } from "../route.ts";

/** A page or asset, with the class of its requests. */
export type ClassifiedPage = readonly [method: string, path: string, requestClass: RequestClass];

/** What the path and method of a request say about the node that answers it. */
export interface ClassifiedRequest {
  readonly requestClass: RequestClass;
  /** The reference to a document in the path. */
  readonly documentRef: string | null;
  /** The key of the link of a form in the path. */
  readonly formKey: string | null;
  readonly isPage: boolean;
  /** The operation; null for pages and unknown paths. */
  readonly id: string | null;
  /** Path template of the route; undefined for unknown paths. */
  readonly template: string;
  /** True for work with a longer timeout. */
  readonly isLong: boolean;
  /** True for responses that last until the client disconnects. */
  readonly isStream: boolean;
}

type RouteFacts = Omit<ClassifiedRequest, "documentRef" | "formKey">;

/** The classes of all requests. */
export class RequestClasses {
  readonly #api = new CachedRouter<RouteFacts>();
  readonly #pages = new TrieRouter<RouteFacts>();

  constructor(routes: readonly Route[], pages: readonly ClassifiedPage[]) {
    for (const { spec } of routes) {
      this.#api.add(spec.method.toUpperCase(), honoPath(spec.path), {
        requestClass: classOf(spec),
        isPage: false,
        id: spec.id,
        template: spec.path,
        isLong: spec.isLong === true || spec.body?.kind === "upload",
        isStream: spec.access.isStream === true,
      });
    }
    for (const [method, path, requestClass] of pages) {
      const template = path.replaceAll(/:(\w+)(\{[^/]*\})?/g, "{$1}");
      this.#pages.add(method, path, { requestClass, isPage: true, id: null, template, isLong: false, isStream: false });
    }
  }

  /** Unknown paths are answered by any node. */
  find({ request, path }: Pick<Call, "request" | "path">): ClassifiedRequest {
    if (path === "/status" || path === "/metrics") return NODE;
    const method = request.method === "HEAD" ? "GET" : request.method;
    const isApi = path.startsWith("/api/");
    const [matches, values] = (isApi ? this.#api : this.#pages).match(method, path);
    const [facts, params] = matches[0] ?? [];
    if (!facts) return UNKNOWN;
    const valueOf = (name: string) => {
      const found = params?.[name];
      return typeof found === "number" ? values?.[found] : found;
    };
    const documentRef = valueOf("docId") ?? parseJobId(valueOf("jobId") ?? "")?.uuid;
    const formKey = FORM_LINK.test(facts.template) ? valueOf("key") : undefined;
    return {
      ...facts,
      documentRef: documentRef === undefined ? null : decoded(documentRef),
      formKey: formKey === undefined ? null : decoded(formKey),
    };
  }
}

/** Templates of addresses with the key of the link of a form. */
const FORM_LINK = /^\/(api\/s|forms)\/\{key\}/;

const UNKNOWN: ClassifiedRequest = {
  requestClass: "anywhere",
  documentRef: null,
  formKey: null,
  isPage: false,
  id: null,
  template: "unknown",
  isLong: false,
  isStream: false,
};
const NODE: ClassifiedRequest = { ...UNKNOWN, requestClass: "node" };

const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
