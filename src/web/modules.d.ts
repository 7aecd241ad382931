/** Files that Bun embeds. */
declare module "*.css" {
  const text: string;
  export default text;
}
declare module "rapidoc/dist/rapidoc-min.js" {
  const path: string;
  export default path;
}
