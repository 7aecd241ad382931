/** `quern mcp`: the tools of `/mcp` over stdio, for programs that cannot send an API key to an address. */
import { type ApiAnswer, type ApiCall, parseAnswerBody, UNREACHABLE } from "../../mcp/api.ts";
import { serveOverStdio } from "../../mcp/stdio.ts";
import { CommandFailure, type CommandInput } from "../command.ts";
import { callServer } from "./call-server.ts";
import { resolveServer, type Server } from "./profile.ts";

/** The tools translate refusals. */
const ALL_STATUSES = Array.from({ length: 200 }, (_, i) => 400 + i);

/** Serves until the program that started the command closes stdin. */
export async function runMcp(input: CommandInput): Promise<number> {
  const server = resolveServer(input);
  const stdio = serveOverStdio({
    call: callOver(server),
    report: (error) => input.context.err(error instanceof Error ? error.message : String(error)),
  });
  input.context.onStop(() => void stdio.close());
  await stdio.closed;
  return 0;
}

const callOver =
  (server: Server): ApiCall =>
  async (method, path, body): Promise<ApiAnswer> => {
    try {
      const response = await callServer(server, path, { method, body, expects: ALL_STATUSES });
      const retryAfter = response.headers.get("retry-after");
      return {
        status: response.status,
        body: parseAnswerBody(await response.text()),
        retryAfterS: retryAfter === null ? null : Number(retryAfter),
      };
    } catch (error) {
      const message = error instanceof CommandFailure ? error.message : `${server.url} broke off its answer`;
      return { status: 503, body: { error: message, details: { code: UNREACHABLE } }, retryAfterS: null };
    }
  };
