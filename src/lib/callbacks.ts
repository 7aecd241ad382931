/**
 * Callbacks invoked by the runtime: timers, and listeners of emitters and streams. They have no caller that could
 * handle their exceptions, so an exception in one would end the process. Every such callback in `src/` is wrapped by
 * `guarded`, mostly through the functions of `timers.ts`; the architecture test refuses bare ones.
 */

/** Formats an error for the log, with its stack where available. */
export const stackOf = (error: unknown): string => (error instanceof Error && error.stack) || String(error);

type ErrorReporter = (error: unknown) => void;

/** By default errors are rethrown, so that tests and commands fail by them. */
let reportError: ErrorReporter = (error) => {
  throw error;
};

/** Sets how this thread reports failures of callbacks, for its lifetime. */
export function reportCallbackErrors(reporter: ErrorReporter): void {
  reportError = reporter;
}

/**
 * Wraps a callback so that exceptions and rejections are handled.
 * @param onError handles the error; by default it is reported as set by `reportCallbackErrors`
 */
export function guarded<A extends unknown[]>(
  callback: (...args: A) => unknown,
  onError: ErrorReporter = (error) => reportError(error),
): (...args: A) => void {
  return (...args) => {
    try {
      const result = callback(...args);
      if (result instanceof Promise) result.catch(onError);
    } catch (error) {
      onError(error);
    }
  };
}
