/** An event of a stream of server-sent events; texts are empty if the event does not have them. */
export interface ServerEvent {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/**
 * Reads server-sent events in the form in which the server writes them. Ends with the connection, also when it is silent for
 * so long that it must be lost.
 */
export async function* serverEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  maxSilenceMs: number,
): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let fields: Record<string, string> = {};
  // The beginning of a line whose end has not arrived. It is not searched again: a line can have megabytes.
  let pending = "";
  const close = () => reader.cancel().catch(() => {});
  try {
    for (;;) {
      clearTimeout(timer);
      timer = setTimeout(() => void close(), maxSilenceMs);
      const { done, value } = await reader.read();
      if (done) return;
      const lines = decoder.decode(value, { stream: true }).split("\n");
      lines[0] = pending + (lines[0] ?? "");
      pending = lines.pop() ?? "";
      for (const line of lines) {
        const colon = line.indexOf(":");
        // Lines that begin with a colon are comments, which keep the connection alive.
        if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 1).trimStart();
        if (line !== "") continue;
        const { event = "", id = "", data = "" } = fields;
        fields = {};
        if (event !== "" || id !== "") yield { event, id, data };
      }
    }
  } finally {
    clearTimeout(timer);
    void close();
  }
}
