/** The program of an executable with packed packages. */
import { describeBehaviour } from "./packed-behaviour.ts";

console.log(await describeBehaviour());
