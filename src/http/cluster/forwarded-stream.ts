import type { OpenStreamCounter } from "../event-stream.ts";

/** Returns the stream of another node, counted until it ends. It ends when this node shuts down: clients reconnect. */
export function forwardedStream(
  source: ReadableStream<Uint8Array>,
  streams: OpenStreamCounter,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    streams.count--;
    streams.forwarded?.delete(end);
  };
  let end = close;
  streams.count++;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      end = () => {
        close();
        controller.close();
        void reader.cancel().catch(() => {});
      };
      (streams.forwarded ??= new Set()).add(end);
    },
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!isOpen) return;
        if (!done) return controller.enqueue(value);
        close();
        controller.close();
      } catch (error) {
        if (!isOpen) return;
        close();
        controller.error(error);
      }
    },
    async cancel(reason) {
      close();
      await reader.cancel(reason);
    },
  });
}
