/** Loaded before the program by tests: a bug in code that nothing guards, at a moment that the test chooses. */
process.on("SIGUSR2", () => {
  throw new Error("a bug that nothing catches");
});
process.on("SIGHUP", () => {
  void Promise.reject(new Error("a rejection that nothing handles"));
});
