/** Loaded before the program by tests: triggers an uncaught exception or an unhandled rejection on a signal. */
process.on("SIGUSR2", () => {
  throw new Error("a bug that nothing catches");
});
process.on("SIGHUP", () => {
  void Promise.reject(new Error("a rejection that nothing handles"));
});
