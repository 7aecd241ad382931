import type { EndUserActor, UserActor } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import { isOn } from "../../wire/common/query.ts";
import type { Call } from "../call.ts";
import { classOf, type Route } from "../route-spec.ts";

export const KEY_HEADER = "Idempotency-Key";

type Spec = Route["spec"];

/** True for routes that accept the header; the others ignore it. */
export const acceptsKeys = ({ method, idempotency, response }: Spec): boolean =>
  method !== "get" && response !== null && idempotency !== "ignored";

/** Where the answers of a route are kept. */
export const storeOf = (spec: Spec): "document" | "home" => {
  const { idempotency } = spec;
  if (idempotency !== "ignored" && idempotency?.store) return idempotency.store;
  return classOf(spec) === "document" ? "document" : "home";
};

/** True when a request with the header can be answered from a kept answer, and its answer is kept. */
export function isKeyed(spec: Spec, { request, search }: Call): boolean {
  if (!acceptsKeys(spec) || !request.headers.has(KEY_HEADER)) return false;
  if (search === "") return true;
  const query = new URLSearchParams(search);
  // A dry run changes nothing.
  const { idempotency, dryRun } = spec;
  const flags = [...(dryRun ? ["dryrun"] : []), ...((idempotency !== "ignored" && idempotency?.ignoredWith) || [])];
  return !flags.some((flag) => isOn(query.get(flag)));
}

const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** @throws AppError `invalid` */
export function requireValidKey({ request }: Call): void {
  if (KEY.test(request.headers.get(KEY_HEADER) ?? "")) return;
  throw new AppError("idempotency.key", "Idempotency-Key must have 1 to 255 printable ASCII characters");
}

/** Returns what identifies a request with a key; it differs for each caller. */
export function scopeOf({ request, path, search, scope }: Call, actor: UserActor | EndUserActor): string {
  const caller = callerOf(actor);
  const parts = [caller, request.method, scope, path, search, request.headers.get(KEY_HEADER)];
  return hashOf(JSON.stringify(parts));
}

function callerOf(actor: UserActor | EndUserActor): readonly (string | number)[] {
  if (actor.kind === "endUser") return ["end user", actor.keyId, actor.email];
  const { keyId, userId } = actor;
  return keyId === undefined ? ["user", userId] : ["key", keyId, userId];
}

export const hashOf = (content: string | Uint8Array): string =>
  new Bun.CryptoHasher("sha256").update(content).digest("hex");
