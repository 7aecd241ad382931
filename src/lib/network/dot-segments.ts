/**
 * Whether a path has a segment `.` or `..`. URLs resolve both, even encoded, so that a request with such an id would
 * reach another path. Source: https://url.spec.whatwg.org/#double-dot-path-segment
 * @param path may have a query
 */
export const hasDotSegment = (path: string): boolean => /\/\.{1,2}(?=[/?]|$)/.test(path.replace(/\?.*/s, ""));
