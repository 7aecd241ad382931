/** SQL files are imported as text, so that they are bundled into the executable. */
declare module "*.sql" {
  const text: string;
  export default text;
}
